// The address of the management API, and the headers of each request.

/** On the host that served the page. */
export const apiBase = '/edge/management/v1';

/** Headers of a request; an empty token means that nobody is logged in. */
export function requestHeaders(token: string, hasBody: boolean): Record<string, string> {
  return {
    accept: 'application/json',
    ...(token === '' ? {} : { 'zt-session': token }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** Path with query parameters; empty ones are left out. */
export function pathWith(path: string, query: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams();
  for (const [name, value] of given) text.set(name, String(value));
  return given.length === 0 ? path : `${path}?${text}`;
}

/** Path of the instances of a kind, or of one of them. */
export function instancesPath(kind: string, id?: string): string {
  const path = `/inspect/machines/${encodeURIComponent(kind)}/instances`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}
