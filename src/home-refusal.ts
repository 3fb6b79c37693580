// The reason why the directory of a home cannot be created, in one sentence.

/**
 * The sentence for a failure to create a directory, which names the path that is to blame.
 * Undefined for any other failure.
 */
export function homeRefusal(home: string, error: NodeJS.ErrnoException): string | undefined {
  const { code = '', syscall, path = home } = error;
  if (syscall === 'stat' && code === 'ENOTDIR') return notBelowFile(home);
  if (syscall !== 'mkdir') return undefined;
  if (code === 'EEXIST' && path === home) {
    return `The home ${home} is a file, but must be a directory: name another one by --home.`;
  }
  if (code === 'EEXIST' || code === 'ENOTDIR') return notBelowFile(home);
  const reason = reasons[code] ?? error.message;
  return `The home ${home} cannot be created: ${path}: ${reason}. Name another one by --home.`;
}

function notBelowFile(home: string): string {
  return `The home ${home} cannot be created: a part of its path is a file, not a directory.`;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the file system permits no new directory there',
  ENOENT: 'the file system permits no new directory there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};
