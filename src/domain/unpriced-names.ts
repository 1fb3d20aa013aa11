/** The names of what costs money at an upstream and has no price here; a model's settings may allow each. */

export const unpricedNames = [
  'service_tier',
  'best_of',
  // Places and speeds that cost a multiple of the price.
  'inference_geo',
  'speed',
  'web_search_options',
  // Tools that the upstream runs, and bills by the call or by tokens that no hold can bound.
  'web_search',
  'file_search',
  'code_interpreter',
  'web_fetch',
  'code_execution',
  // Its tokens cost what another model's do.
  'advisor',
  'image_generation',
  'computer_use',
  'mcp',
  'shell',
  // What lies in the operator's organisation, where anyone's id would do.
  'file_id',
  'vector_store_ids',
  'container',
  'prompt',
  'item_reference',
] as const;
export type UnpricedName = (typeof unpricedNames)[number];
