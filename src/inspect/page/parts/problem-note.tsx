// What went wrong, said aloud by screen readers.

/** Nothing where there is no problem. */
export function ProblemNote({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <p role="alert" class="note is-problem">
      {text}
    </p>
  );
}
