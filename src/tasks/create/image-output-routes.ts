/** Which of a model's routes can make an image as its caller wants the file to be. */
import type { Model } from '../../domain/catalogue.ts';
import { type ImageOutputs, noOutputs } from '../../domain/tasks/image-outputs.ts';
import type { ImageRequest } from '../../domain/requests/image-request.ts';
import { invalid, list } from '../../domain/requests/parse.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';

/**
 * The model with those of its routes that deliver the `output_format` and `background` asked for. Refuses with
 * `invalid_parameter` where none does.
 */
export function deliveringModel(
  { providers }: Pick<ApiDependencies, 'providers'>,
  model: Model,
  { outputFormat, background }: ImageRequest,
): Model {
  if (outputFormat === undefined && background === undefined) return model;
  const routes = model.routes.map((route) => ({
    route,
    outputs: providers.get(route.provider)?.imageOutputs?.(route) ?? noOutputs,
  }));
  const ofFormat = routes.filter(({ outputs }) => !outputFormat || outputs.formats.includes(outputFormat));
  if (ofFormat.length === 0) {
    throw refusal(
      'output_format',
      model,
      outputsAmong(routes, ({ formats }) => formats),
    );
  }
  const able = ofFormat.filter(({ outputs }) => !background || outputs.backgrounds.includes(background));
  if (able.length === 0) {
    throw refusal('background', model, ['auto', ...outputsAmong(ofFormat, ({ backgrounds }) => backgrounds)]);
  }
  return { ...model, routes: able.map(({ route }) => route) };
}

const outputsAmong = (routes: { outputs: ImageOutputs }[], read: (outputs: ImageOutputs) => readonly string[]) => [
  ...new Set(routes.flatMap(({ outputs }) => read(outputs))),
];

const refusal = (param: string, { id }: Model, allowed: readonly string[]) =>
  invalid(
    param,
    allowed.length === 0
      ? `is not supported by the model '${id}'; omit it`
      : `must be ${list(allowed.map((value) => `'${value}'`))} for the model '${id}'`,
  );
