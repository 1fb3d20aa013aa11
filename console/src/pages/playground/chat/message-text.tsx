/** What a model said, as text: line breaks stay, and blocks between ``` stand in the letters of code. Nothing is HTML. */

export function MessageText({ text }: { text: string }) {
  return (
    <div className="tg-said">
      {partsOf(text).map((part, index) =>
        part.isCode ? (
          // It scrolls sideways, so the keyboard must get there.
          <pre key={index} tabIndex={0}>
            <code>{part.text}</code>
          </pre>
        ) : (
          <p key={index}>{part.text}</p>
        ),
      )}
    </div>
  );
}

/** Every second part between fences is code; the word behind a fence names its language. */
function partsOf(text: string): { isCode: boolean; text: string }[] {
  return text
    .split(/^```/m)
    .map((part, index) => ({
      isCode: index % 2 === 1,
      text: index % 2 === 1 ? part.replace(/^[^\n]*\n?/, '').replace(/\n$/, '') : part.replace(/^\n|\n$/g, ''),
    }))
    .filter((part) => part.text !== '');
}
