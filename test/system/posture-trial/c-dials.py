# Dials by the native C SDK, as the Go program `traffic` does: enrolls, loads the identity, and takes
# commands, a line of JSON each, of which it knows `dial`. The SDK waits for a router without an end,
# so that a dial fails here when its time is over.

import json
import os
import socket
import sys
import threading
from pathlib import Path

import openziti
from openziti import zitilib

DIAL_SECONDS = 10
SENT = b"carried by the C SDK"


def connect(context, service):
    # What `ZitiContext.connect` of openziti 0.6.0 does, which fails without a terminator.
    descriptor = zitilib.ziti_socket(socket.SOCK_STREAM)
    name = bytes(service, encoding="utf-8")
    zitilib.check_error(zitilib._ziti_connect(descriptor, context._ctx, name, None))
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, descriptor)


def dial_once(context, service, outcome):
    try:
        connection = connect(context, service)
        connection.settimeout(DIAL_SECONDS)
        connection.sendall(SENT)
        received = b""
        while len(received) < len(SENT):
            part = connection.recv(len(SENT) - len(received))
            if not part:
                break
            received += part
        connection.close()
        outcome.append("" if received == SENT else f"{received!r} came back")
    except Exception as failure:
        outcome.append(repr(failure))


def dial(context, service):
    outcome = []
    # A thread that hangs ends with the process.
    dialing = threading.Thread(target=dial_once, args=(context, service, outcome), daemon=True)
    dialing.start()
    dialing.join(DIAL_SECONDS)
    return outcome[0] if outcome else f"no connection within {DIAL_SECONDS} s"


def main():
    # The SDK closes descriptor 0 when a dial fails.
    commands = os.fdopen(os.dup(0))
    order = json.loads(commands.readline())
    identity_file = Path(order["identityFile"])
    identity_file.touch(mode=0o600)
    identity_file.write_text(openziti.enroll(order["jwt"]))
    print(f"# C SDK {openziti.version()}", flush=True)
    context = openziti.load(str(identity_file))
    for line in commands:
        command = json.loads(line)
        error = dial(context, command["service"])
        print(json.dumps({"number": command["number"], "error": error, "rounds": 0}), flush=True)


main()
