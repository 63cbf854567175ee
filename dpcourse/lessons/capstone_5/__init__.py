"""Capstone 5: Learn from patients in fifty hospitals: the patient as the unit, noise shared, hospitals dropping out."""
