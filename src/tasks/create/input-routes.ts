/** Which of a model's routes can do with what its caller gives them besides a prompt. */
import type { Model } from '../../domain/catalogue.ts';
import { type ImageRequest, maskParam, referenceParam } from '../../domain/requests/image-request.ts';
import { invalid } from '../../domain/requests/parse.ts';
import { itemParam, type VideoRequest } from '../../domain/requests/video-request.ts';
import { noInputs, type RouteInputs } from '../../domain/tasks/route-inputs.ts';
import type { ApiDependencies } from '../../api/dependencies.ts';

type Providers = Pick<ApiDependencies, 'providers'>;

/** The model with those of its routes that do this edit or variation. Refuses with `invalid_parameter` where none does. */
export function editingModel(deps: Providers, model: Model, request: ImageRequest): Model {
  const { form, imageUrls, mask } = request;
  if (form === undefined) return model;
  const image = referenceParam(request);
  const most = Math.max(...model.routes.map((route) => inputsOf(deps, route).references));
  const images = most === 0 ? 'no reference images' : `at most ${most} reference images`;
  let able = among(deps, model, ({ references }) => references >= imageUrls.length);
  if (able.routes.length === 0)
    throw invalid(image, `has ${imageUrls.length} items; the model '${model.id}' takes ${images}`);
  if (form === 'variation') {
    able = among(deps, able, ({ variations }) => isAble(variations, model.limits.variations));
    if (able.routes.length === 0) throw invalid('model', `must be one that makes variations; '${model.id}' does not`);
  }
  if (mask !== undefined) {
    able = among(deps, able, (inputs) => isAble(inputs.mask, model.limits.mask));
    if (able.routes.length === 0)
      throw invalid(maskParam(request), `is not supported by the model '${model.id}'; omit it`);
  }
  return able;
}

/** The model with those of its routes that take the frames of this video. Refuses with `invalid_parameter` where none does. */
export function framingModel(deps: Providers, model: Model, request: VideoRequest): Model {
  const at = request.content.findIndex(({ role }) => role === 'last_frame');
  if (at < 0) return model;
  const able = among(deps, model, ({ lastFrame }) => lastFrame);
  if (able.routes.length > 0) return able;
  throw invalid(itemParam(request, at), `is a last frame, which the model '${model.id}' does not support; omit it`);
}

/** What the operator rules out is never done; what only the operator can know is done where it is said. */
const isAble = (ofRoute: boolean | undefined, ofModel: boolean | undefined): boolean =>
  ofModel !== false && (ofRoute ?? ofModel ?? false);

const among = (deps: Providers, model: Model, does: (inputs: RouteInputs) => boolean): Model => ({
  ...model,
  routes: model.routes.filter((route) => does(inputsOf(deps, route))),
});

const inputsOf = ({ providers }: Providers, route: Model['routes'][number]): RouteInputs =>
  providers.get(route.provider)?.inputs?.(route) ?? noInputs;
