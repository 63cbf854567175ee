"""Grade a class: folders of exercise notebooks in, points and diagnoses out.

    python -m dpcourse.grade SUBMISSIONS --out GRADES

The check stays in this process. A student's notebook runs in another one, which cannot reach it: inputs go in and
results come out as JSON and plain arrays (`wire`), under bubblewrap where it is there (`sandbox`). That process has a
copy of `dpcourse` from which the rooms that a question forbids are missing (`staging`).
"""
