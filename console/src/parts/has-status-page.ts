/** Whether the gateway has a public status page to link to; it says so in the page itself. */
export function hasStatusPage(): boolean {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="tollgate-status"]');
  return meta?.content !== 'hidden';
}
