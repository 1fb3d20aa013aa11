/** Puts a text on the clipboard. Browsers have one on https and localhost only; elsewhere the older way still works. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('[role=dialog]') ?? document.body).append(field); // a dialog lets no focus out
  field.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without https
  document.execCommand('copy');
  field.remove();
}
