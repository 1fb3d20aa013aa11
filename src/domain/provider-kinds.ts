/** What the settings have to know of a kind of provider. Each adapter declares its own, beside its code. */
import type { TokenRates } from './billing/token-card.ts';
import type { ModelKind } from './catalogue.ts';
import type { EndpointName } from './call-endpoints.ts';

export interface ProviderKind {
  /** As the settings name it, such as `fal`. */
  kind: string;
  /** The kinds of model that it can serve. */
  serves: readonly ModelKind[];
  /** Its credentials, by their keys in the settings. */
  secrets: Readonly<Record<string, SecretRule>>;
  /** Other keys that only this kind has. */
  numbers?: Readonly<Record<string, NumberRule>>;
  /** Of a kind whose upstreams differ in that: the endpoints of calls that one has, where the settings don't say. */
  endpoints?: readonly EndpointName[];
  /** Rates of tokens that its answers count apart: a price without them takes those tokens as plain input or output. */
  reports?: readonly (keyof TokenRates)[];
  /** The endpoints of calls that its own batch API takes. */
  batches?: readonly EndpointName[];
  /** Whether an image call's answer is the image itself, which takes as long as making it. */
  answersWithImages?: boolean;
}

/** `without base_url`: needed where the provider's public service is meant, which `base_url` would replace. */
export type SecretRule = 'required' | 'optional' | 'without base_url';

export interface NumberRule {
  min: number;
  max: number;
  whole?: boolean;
  default: number;
}
