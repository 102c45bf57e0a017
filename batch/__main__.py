"""Where the night begins: what keeps its code from being imported, a broken project, is one sentence too.

Data flow: python -m batch -> batch/command_line.py
Run: python -m batch night --date 2026-01-31
"""

from infra.failures import reported

if __name__ == "__main__":
    with reported():
        from batch.command_line import app

        app()
