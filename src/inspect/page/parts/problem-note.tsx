// An error message, which screen readers announce.

/** Nothing if there is no problem. */
export function ProblemNote({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <p role="alert" class="note is-problem">
      {text}
    </p>
  );
}
