"""What stands behind each lesson, in one folder: its numbers, pictures, explorers and exercises."""
