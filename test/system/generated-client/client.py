# Reads every list of an API with a client that openapi-python-client generated from the API's
# document, and the lists below each row. It reads its order, a line of JSON on standard input, and
# prints the number of rows of each list and each failure. Exit code 1 if any list fails, or if a list
# of the document is not in the client.

import importlib
import json
import pkgutil
import ssl
import sys


def is_list(operation):
    success = operation["responses"].get("200", {}).get("content", {})
    meta = success.get("application/json", {}).get("schema", {}).get("properties", {}).get("meta", {})
    return meta.get("$ref") == "#/components/schemas/listMeta"


class Lists:
    def __init__(self, order):
        package = importlib.import_module(order["package"])
        operations = importlib.import_module(f"{package.__name__}.api.default")
        # The generator names a module `list_services` for the operation `listServices`.
        self.modules = {
            one.name.replace("_", ""): f"{operations.__name__}.{one.name}"
            for one in pkgutil.iter_modules(operations.__path__)
        }
        self.client = package.AuthenticatedClient(
            base_url=order["base"],
            token=order["token"],
            auth_header_name="zt-session",
            prefix="",
            verify_ssl=ssl.create_default_context(cafile=order["ca"]),
        )
        self.failures = 0
        self.rows = {}

    def read(self, path, operation, owner=None):
        """@returns the rows of the first page as they were sent"""
        try:
            module = importlib.import_module(self.modules[operation.lower()])
            given = {} if owner is None else {"id": owner}
            response = module.sync_detailed(client=self.client, **given)
            assert response.status_code == 200, f"status {response.status_code}"
            sent = json.loads(response.content)["data"]
            parsed = response.parsed.data
            count = len(parsed) if isinstance(parsed, list) else len(parsed.to_dict())
            assert count == len(sent), f"{count} of {len(sent)} rows"
            return sent
        except Exception as failure:
            self.failures += 1
            print(f"not ok {path} {owner or ''}: {failure!r}", flush=True)
            return []

    def read_all(self, paths):
        lists = {
            path: methods["get"]["operationId"]
            for path, methods in paths.items()
            if "get" in methods and is_list(methods["get"])
        }
        whole = {path: name for path, name in lists.items() if "{" not in path}
        for path, name in whole.items():
            self.rows[path] = self.read(path, name)
            print(f"# {path}: {len(self.rows[path])} rows", flush=True)
        for path, name in lists.items():
            owners, _, rest = path.partition("/{id}/")
            if rest == "" or "{" in rest or owners not in self.rows:
                continue
            for row in self.rows[owners]:
                self.read(path, name, row["id"])


def main():
    order = json.loads(sys.stdin.readline())
    lists = Lists(order)
    with open(order["document"], encoding="utf8") as file:
        lists.read_all(json.load(file)["paths"])
    empty = sorted(path for path, rows in lists.rows.items() if not rows)
    print(f"# empty: {' '.join(empty)}")
    print(f"{'not ok' if lists.failures else 'ok'}: {len(lists.rows)} lists", flush=True)
    sys.exit(1 if lists.failures else 0)


main()
