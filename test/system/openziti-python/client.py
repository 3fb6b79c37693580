# A stock client over the native C SDK: enrolls with a JWT, loads the identity, and asks for a
# service to dial, by the address of its config, and to host. It reads its order, a line of JSON on
# standard input, says what it does on standard output, and ends with 0 at the end of its input: the
# SDK looks for a router without an end, and its caller sees when there are sessions.

import json
import os
import sys
import threading
from pathlib import Path

import openziti


def say(text):
    print(text, flush=True)


def step(name, action):
    try:
        result = action()
    except Exception as failure:
        say(f"not ok {name}: {failure!r}")
        os._exit(1)
    say(f"ok {name}")
    return result


def beside(name, action):
    def run():
        try:
            action()
            say(f"# {name} came to an end")
        except Exception as failure:
            say(f"# {name}: {failure!r}")

    threading.Thread(target=run, daemon=True).start()


def main():
    order = json.loads(sys.stdin.readline())
    identity_file = Path(order["identityFile"])

    def enroll():
        identity_file.touch(mode=0o600)
        identity_file.write_text(openziti.enroll(order["jwt"]))

    say(f"# C SDK {openziti.version()}")
    step("enroll", enroll)
    context = step("load the identity", lambda: openziti.load(str(identity_file)))
    beside("dialling", lambda: context.connect((order["host"], order["port"])))
    beside("hosting", lambda: context.bind(order["service"]).listen(1))
    sys.stdin.read()
    # Not by the interpreter's own end, which waits for the threads of the SDK.
    os._exit(0)


main()
