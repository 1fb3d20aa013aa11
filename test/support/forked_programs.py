"""Runs programs in children of this process, which has loaded the modules that it was named: one for each line of standard
input, `{"file", "folder", "env", "timeout_seconds"}`. Answers each with a line, `{"code", "output"}`; a child that is killed
has the negative number of its signal for a code.
"""

import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys


def load(name):
    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}."):
        importlib.import_module(found.name)


def run(wanted, output):
    signal.alarm(wanted["timeout_seconds"])
    for stream in (1, 2):
        os.dup2(output, stream)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["env"])
    sys.argv = [wanted["file"]]
    runpy.run_path(wanted["file"], run_name="__main__")


def code_of_child(wanted, output):
    """The code with which an interpreter would end that runs this program alone."""
    try:
        run(wanted, output)
        return 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


for name in sys.argv[1:]:
    load(name)
for line in sys.stdin:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os._exit(code_of_child(json.loads(line), writing))
    os.close(writing)
    with open(reading, errors="replace") as stream:
        output = stream.read()
    _, status = os.waitpid(child, 0)
    print(json.dumps({"code": os.waitstatus_to_exitcode(status), "output": output}), flush=True)
