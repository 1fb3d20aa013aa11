/** Image edits and variations: image tasks made of the caller's own images, as OpenAI's clients send them. */
import { editImagesMax } from '../../domain/limits.ts';
import { valuesOfForm } from '../../domain/requests/form-fields.ts';
import {
  imageEditBody,
  imageEditFields,
  imageFormTypes,
  imageVariationFields,
  parseEditBody,
  parseEditForm,
  parseVariationForm,
} from '../../domain/requests/image-edit.ts';
import type { ImageRequest } from '../../domain/requests/image-request.ts';
import { modelIdOf } from '../../domain/requests/parse.ts';
import type { Model } from '../../domain/catalogue.ts';
import { imageUploadName } from '../../domain/tasks/uploads.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import { checkWebhookUrl, editAddresses } from '../../tasks/create/caller-addresses.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { deliveringModel } from '../../tasks/create/image-output-routes.ts';
import { identifyImages, type ImageUpload, keepForTask, storeInlineImages } from '../../tasks/create/image-uploads.ts';
import { editingModel } from '../../tasks/create/input-routes.ts';
import { waitSeconds } from '../../tasks/wait/wait-for-task.ts';
import type { FormRules } from '../body/form-rules.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { isForm, promptBytesMax, readUploadForm } from '../body/upload-form.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { type ApiContext, deploymentOf, keyOf } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { modelFor } from '../model-catalogue.ts';
import { fileSchema, formContent } from '../openapi/form-body.ts';
import { requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { imageTask } from '../presenters/task-records.ts';
import { type GatewayFacts, operation } from '../public-operation.ts';
import { refuseLate } from '../server/draining.ts';
import { answerImageCreation, imageCreation, imageWords } from './images.ts';

const words = {
  ...imageWords,
  prompt: 'What to change in the image. How long it may be is a matter of the model.',
  images: 'The images to edit, each an http or https URL or a data URI.',
  mask: 'Where the first image may be changed, likewise; of the same size.',
};

const createImageEdit = operation({
  ...imageCreation,
  method: 'post',
  path: '/images/edits',
  id: 'createImageEdit',
  summary: 'Image edit',
  description: `Makes an image from up to ${editImagesMax} images and a prompt, with a mask if the model takes one. The images come as files of a form or, in JSON, as addresses. What it answers, and how long it waits, is as for image generation; GET and DELETE are those of \`/images/generations/{id}\`.`,
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
  before: async ({ deps, ctx }) => {
    refuseLate(ctx);
    await requireRoom(deps, ctx);
  },
  body: {
    content: (facts) => ({ ...editJson(facts), 'multipart/form-data': editForm(facts) }),
  },
  answer: imageTask,
  handle: async ({ ctx, now }) => {
    const seconds = waitSeconds(ctx, deploymentOf(ctx).imageWaitSeconds);
    const made = await (isForm(ctx.req) ? editByForm(ctx, now, seconds) : editByJson(ctx, now(), seconds));
    return answerImageCreation(now(), ctx, made, seconds);
  },
});

const createImageVariation = operation({
  ...imageCreation,
  method: 'post',
  path: '/images/variations',
  id: 'createImageVariation',
  summary: 'Image variation',
  description:
    'Makes images like the one that is sent, for models that do so. Answers as image generation does; GET and DELETE are those of `/images/generations/{id}`.',
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
  before: async ({ deps, ctx }) => {
    refuseLate(ctx);
    await requireRoom(deps, ctx);
  },
  body: { content: (facts) => ({ 'multipart/form-data': variationForm(facts) }) },
  answer: imageTask,
  handle: async ({ ctx, now }) => {
    const seconds = waitSeconds(ctx, deploymentOf(ctx).imageWaitSeconds);
    const rules = (deps: ApiDependencies) => formRules(deps, Object.keys(imageVariationFields.shape), { imagesMax: 1 });
    const made = await createByForm(ctx, now, { seconds, rules, form: 'variation' }, parseVariationForm);
    return answerImageCreation(now(), ctx, made, seconds);
  },
});

export const imageEditOperations = [createImageEdit, createImageVariation];

interface Made {
  created: CreatedTask;
  isInline: boolean;
}

const editByForm = (ctx: ApiContext, now: DependenciesNow, seconds: number): Promise<Made> => {
  const rules = (deps: ApiDependencies) =>
    formRules(deps, Object.keys(imageEditFields.shape), { imagesMax: editImagesMax, hasMask: true });
  return createByForm(ctx, now, { seconds, rules, form: 'edit' }, (body, model, images) =>
    parseEditForm(body, { images: countOf(images, 'image'), hasMask: countOf(images, 'mask') > 0 }, model),
  );
};

const countOf = (images: readonly ImageUpload[], param: string): number =>
  images.filter((image) => image.param === param).length;

interface FormCreation {
  seconds: number;
  rules: (deps: ApiDependencies) => FormRules<'image' | 'mask', string>;
  form: string;
}

/** Stores the files of a form, and makes a task of it. */
async function createByForm(
  ctx: ApiContext,
  now: DependenciesNow,
  { seconds, rules, form: name }: FormCreation,
  parse: (body: Record<string, unknown>, model: Model, images: readonly ImageUpload[]) => ImageRequest,
): Promise<Made> {
  const { concurrencyLimits, blobs } = now();
  const release = acquireOnce(concurrencyLimits.uploads);
  try {
    const form = await readUploadForm(ctx.req, rules(now()), {
      store: blobs,
      newKey: () => newBlobKey('uploads'),
      bodies: ctx.state.bodies,
    });
    const images = imagesOf(form.files.get('image') ?? [], form.files.get('mask') ?? []);
    const stored = images.map(({ blob }) => blob);
    return await keepForTask(blobs, stored, async () => {
      const deps = now(); // an upload may take an hour: model and price are those of its end
      const body = valuesOfForm(form.fields, imageFormTypes);
      const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
      const request = parse(body, model, images);
      const hashes = images.map(({ param, blob }) => [param, blob.sha256]);
      const wanted = { model, request, images, fingerprint: { form: name, body, hashes } };
      return create(deps, ctx, wanted, seconds, release);
    });
  } finally {
    release();
  }
}

async function editByJson(ctx: ApiContext, deps: ApiDependencies, seconds: number): Promise<Made> {
  const { value: body } = await requestJson(deps, ctx, { names: namesOf(imageEditBody) });
  const model = modelFor(keyOf(ctx), deps.configuration, modelIdOf(body));
  const { request, inline } = parseEditBody(body, model);
  const images = await storeInlineImages(deps.blobs, inline, deps.configuration.limits.imageBytes);
  const stored = images.map(({ blob }) => blob);
  const wanted = { model, request, images, fingerprint: { form: 'json_edit', body } };
  return keepForTask(deps.blobs, stored, () => create(deps, ctx, wanted, seconds));
}

interface WantedEdit {
  model: Model;
  request: ImageRequest;
  images: readonly ImageUpload[];
  fingerprint: unknown;
}

/** Judges the request with its images, and admits the task. */
async function create(
  deps: ApiDependencies,
  ctx: ApiContext,
  { model: named, request, images, fingerprint }: WantedEdit,
  seconds: number,
  afterFiles: () => void = () => undefined,
): Promise<Made> {
  const model = deliveringModel(deps, editingModel(deps, named, request), request);
  for (const { url, param } of editAddresses(request)) await deps.guard.check(url, param);
  await checkWebhookUrl(deps, request);
  const uploads = images.length === 0 ? undefined : await identifyImages(deps.blobs, images);
  afterFiles();
  const stored = { kind: 'image', request } as const;
  const wanted = { model, stored, facts: stored, ...(uploads && { uploads }), fingerprint };
  const created = await createTask(deps, ctx, wanted, seconds);
  return { created, isInline: request.responseFormat === 'b64_json' };
}

const imagesOf = (images: readonly ImageUpload['blob'][], masks: readonly ImageUpload['blob'][]): ImageUpload[] => [
  ...images.map((blob, index) => ({ name: imageUploadName(index), param: 'image', blob })),
  ...masks.map((blob) => ({ name: 'mask' as const, param: 'mask', blob })),
];

/** All files of a form together, in those of one image. */
const imagesTogether = 4;

function formRules(
  { configuration: { limits } }: ApiDependencies,
  fields: readonly string[],
  { imagesMax, hasMask = false }: { imagesMax: number; hasMask?: boolean },
): FormRules<'image' | 'mask', string> {
  const bytesMax = limits.imageBytes;
  return {
    files: [
      { name: 'image', bytesMax, most: imagesMax },
      ...(hasMask ? [{ name: 'mask', bytesMax, isOptional: true } as const] : []),
    ],
    fields,
    fieldBytesMax: promptBytesMax,
    filesBytesMax: bytesMax * Math.min(imagesTogether, imagesMax + 1),
  };
}

const editJson = jsonContent('ImageEditRequest', imageEditBody, {
  words,
  shown: ({ model, publicUrl }) => ({
    example: {
      model: model('image'),
      prompt: 'Put the gate into the morning fog',
      images: [{ image_url: `${publicUrl}/gate.png` }],
    },
  }),
});

const MiB = 1024 * 1024;
const imageTypes = { contentType: 'image/png, image/jpeg, image/webp' };
const imageFile = ({ limits }: GatewayFacts) =>
  fileSchema(`PNG, JPEG or WebP by its bytes. At most ${limits.imageBytes / MiB} MiB.`);

const editForm = (facts: GatewayFacts): JsonSchema =>
  formContent({
    files: {
      image: {
        type: 'array',
        items: imageFile(facts),
        minItems: 1,
        maxItems: editImagesMax,
        description: `The images to edit; \`image[]\` is the same. Together at most ${(imagesTogether * facts.limits.imageBytes) / MiB} MiB.`,
      },
      mask: fileSchema('Where the first image may be changed: of the same size, for models that take a mask.'),
    },
    required: ['image'],
    fields: imageEditFields,
    words,
    // Of files their names: what a form holds of them is bytes.
    example: { model: facts.model('image'), prompt: 'Put the gate into the morning fog', image: ['gate.png'] },
    encoding: { image: imageTypes, mask: imageTypes },
  });

const variationForm = (facts: GatewayFacts): JsonSchema =>
  formContent({
    files: { image: imageFile(facts) },
    required: ['image'],
    fields: imageVariationFields,
    words,
    example: { model: facts.model('image'), image: 'gate.png', n: 2 },
    encoding: { image: imageTypes },
  });
