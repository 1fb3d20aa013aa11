/** The method of an operation, distinguished by word and colour. */
export function MethodTag({ method, isWebhook = false }: { method: string; isWebhook?: boolean }) {
  return (
    <span className={`docs-method docs-${isWebhook ? 'hook' : method}`}>
      {isWebhook ? 'HOOK' : method.toUpperCase()}
    </span>
  );
}
