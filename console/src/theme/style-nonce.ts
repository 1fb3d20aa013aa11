/**
 * The answer's own nonce, which the Content-Security-Policy asks of every style. antd takes it by its ConfigProvider, but its
 * drawers and dialogs also add styles (to stop the page from scrolling) that forget it; so every style element has it from its making.
 */

export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// oxlint-disable-next-line typescript/no-deprecated -- some of its overloads are, of tags long gone
const create = document.createElement.bind(document);
Object.defineProperty(document, 'createElement', {
  configurable: true,
  writable: true,
  value: (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (element instanceof HTMLStyleElement) element.nonce = styleNonce;
    return element;
  },
});
