/**
 * Which addresses are fetched: what callers name never reaches a provider's own origin, what a provider names as its
 * result may. Our own links to files pass for both.
 */
import { AddressGuard } from '../net/public-hosts.ts';
import type { Environment } from '../config/environment.ts';

export interface AddressGuards {
  /** For addresses in requests, webhooks included. */
  callers: AddressGuard;
  /** For addresses of results in providers' answers. */
  results: AddressGuard;
  /** Makes the gateway's own links pass, once its address is known. */
  addPublicUrl(publicUrl: string): void;
  /** Adds the base URLs of providers that a reload brought. */
  addProviders(baseUrls: readonly string[]): void;
}

/** Makes both guards for the settings and the base URLs of the providers in force. */
export function addressGuards(
  { allowPrivateUrls: allowPrivate, publicUrl, s3 }: Environment,
  baseUrls: readonly string[],
): AddressGuards {
  // Our own links may redirect to the store.
  const allowedFolders =
    s3?.publicEndpoint === undefined ? [] : [`${s3.publicEndpoint.replace(/\/+$/, '')}/${s3.bucket}`];
  const callers = new AddressGuard({ allowPrivate, allowedFolders });
  const results = new AddressGuard({ allowPrivate, allowedFolders });
  const guards: AddressGuards = {
    callers,
    results,
    addPublicUrl(publicUrl) {
      const folder = `${publicUrl}/files`;
      for (const guard of [callers, results]) guard.allowBelow(folder);
    },
    addProviders(baseUrls) {
      for (const baseUrl of baseUrls) {
        callers.refuse(baseUrl);
        results.allow(baseUrl);
      }
    },
  };
  if (publicUrl !== undefined) guards.addPublicUrl(publicUrl);
  guards.addProviders(baseUrls);
  return guards;
}
