/** Image edits and variations, parsed: both become requests of an image task that has references. */
import { z } from 'zod';
import type { Model } from '../catalogue.ts';
import { addressCharactersMax, editImagesMax } from '../limits.ts';
import { imageUploadName, uploadAddress, type UploadName } from '../tasks/uploads.ts';
import { keptText, listOf, mediaAddress } from './fields.ts';
import {
  commonOf,
  imageBody,
  type ImageRequest,
  maskParam,
  referenceParam,
  requireReferences,
  sizedPixels,
} from './image-request.ts';
import { endpointKinds, parseWith, requireKind } from './parse.ts';
import { requirePrompt } from './prompt.ts';
import type { FieldTypes } from './form-fields.ts';

const common = imageBody.omit({ prompt: true, image_urls: true, upscale: true }).shape;
const ofEdit = { ...common, prompt: keptText };

const namedImage = z.object(
  { image_url: mediaAddress(addressCharactersMax) },
  'must be an object with an \'image_url\', such as {"image_url": "https://…"}',
);
const imagesRule = `must be an array of 1 to ${editImagesMax} objects with an 'image_url'`;

/** The fields of an edit's form, besides its files. */
export const imageEditFields = z.object(ofEdit);

/** A JSON body of an edit, which names its images. */
export const imageEditBody = z.object({
  ...ofEdit,
  images: listOf(namedImage, imagesRule, { min: 1, max: editImagesMax }),
  mask: namedImage.nullish(),
});

/** The fields of a variation's form, besides its file. */
export const imageVariationFields = z.object(common);

/** Of all these forms. */
export const imageFormTypes: FieldTypes = { n: 'integer', stream: 'flag' };

/** An image that came inside a body: it is stored as an upload, like one of a form. */
export interface InlineImage {
  name: UploadName;
  param: string;
  dataUri: string;
}

/** The request of an edit that came as a form. Refuses as `parseImageRequest`. */
export function parseEditForm(body: unknown, files: { images: number; hasMask: boolean }, model: Model): ImageRequest {
  requireKind(model, endpointKinds.image);
  const fields = parseWith(imageEditFields, body);
  return {
    ...editOf(fields, model),
    form: 'edit',
    imageUrls: uploadedImages(files.images, model),
    ...(files.hasMask && { mask: uploadAddress('mask') }),
  };
}

/** The request of an edit that came as JSON, and the images that its body holds. Refuses as `parseImageRequest`. */
export function parseEditBody(body: unknown, model: Model): { request: ImageRequest; inline: InlineImage[] } {
  requireKind(model, endpointKinds.image);
  const fields = parseWith(imageEditBody, body);
  requireReferences(model, fields.images.length, 'images');
  const inline: InlineImage[] = [];
  const addressOf = (address: string, name: UploadName, param: string) => {
    if (!/^data:/i.test(address)) return address;
    inline.push({ name, param, dataUri: address });
    return uploadAddress(name);
  };
  const form = 'json_edit' as const;
  const imageUrls = fields.images.map(({ image_url: address }, index) =>
    addressOf(address, imageUploadName(index), referenceParam({ form }, index)),
  );
  const mask = fields.mask ? addressOf(fields.mask.image_url, 'mask', maskParam({ form })) : undefined;
  const request = { ...editOf(fields, model), form, imageUrls, ...(mask !== undefined && { mask }) };
  return { request, inline };
}

/** The request of a variation, which is one image and no prompt. Refuses as `parseImageRequest`. */
export function parseVariationForm(body: unknown, model: Model): ImageRequest {
  requireKind(model, endpointKinds.image);
  const fields = parseWith(imageVariationFields, body);
  return {
    ...commonOf(fields, model),
    ...{ prompt: '', form: 'variation', imageUrls: uploadedImages(1, model), pixels: sizedPixels(fields, model) },
  };
}

function editOf(fields: z.output<typeof imageEditFields>, model: Model) {
  const { prompt } = fields;
  requirePrompt('prompt', prompt, model);
  return { ...commonOf(fields, model), prompt, pixels: sizedPixels(fields, model) };
}

function uploadedImages(count: number, model: Model): string[] {
  requireReferences(model, count, 'image');
  return Array.from({ length: count }, (_, index) => uploadAddress(imageUploadName(index)));
}
