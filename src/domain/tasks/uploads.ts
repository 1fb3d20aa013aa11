/** The caller's own files of a task: their names, and how a request names one where an address may stand. */

/** `audio` and `video` are of avatar-talk, `mask` of an image edit; images are numbered as they came. */
export type UploadName = 'audio' | 'video' | 'mask' | `image${number}`;

const form = /^(?:audio|video|mask|image(?:0|[1-9]\d?))$/;

export const isUploadName = (name: string): name is UploadName => form.test(name);

/** The name of the image with that number, from 0 to 99. */
export const imageUploadName = (index: number): UploadName => `image${index}`;

const scheme = 'upload:';

/** What stands for an upload in the place of an address. No caller can write it: addresses are http or https. */
export const uploadAddress = (name: UploadName): string => `${scheme}${name}`;

/** Returns the upload that an address stands for; undefined for an address on the web. */
export function uploadNameOf(address: string): UploadName | undefined {
  const name = address.startsWith(scheme) ? address.slice(scheme.length) : '';
  return isUploadName(name) ? name : undefined;
}
