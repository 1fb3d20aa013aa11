/** The form fields of an avatar-talk creation, parsed. */
import { z } from 'zod';
import type { Model } from '../catalogue.ts';
import { isKeepable, withoutNul } from '../text.ts';
import { templateNameCharactersMax } from '../limits.ts';
import { httpAddress } from './fields.ts';
import { endpointKinds, parseWith, requireKind } from './parse.ts';
import { isLongerThan } from './prompt.ts';

export interface AvatarTalkRequest {
  model: string;
  templateName: string;
  webhookUrl?: string;
}

/** "No avatar template" in Chinese: a part of the wire format, and never translated. */
export const templateNameDefault = '不使用分身';

const templateRule = `must be a string of 1 to ${templateNameCharactersMax} characters`;

export const avatarTalkFields = z.object({
  template_name: z
    .string(templateRule)
    .refine(isKeepable, 'must not contain NUL characters')
    .refine((name) => name !== '' && !isLongerThan(name, templateNameCharactersMax), templateRule)
    .meta({ minLength: 1, maxLength: templateNameCharactersMax, pattern: withoutNul })
    .nullish(),
  webhook_url: httpAddress().nullish(),
});

/** The request of a form's text fields. Refuses with `invalid_parameter`. */
export function parseAvatarTalkFields(fields: Record<string, string>, model: Model): AvatarTalkRequest {
  requireKind(model, endpointKinds.avatarTalk);
  const { template_name: templateName, webhook_url: webhookUrl } = parseWith(avatarTalkFields, fields);
  return {
    model: model.id,
    templateName: templateName ?? templateNameDefault,
    ...(typeof webhookUrl === 'string' ? { webhookUrl } : {}),
  };
}
