/** What the page says in one language, in a chunk of its own: the guides, and in Chinese all that the document says. */
import type { Language } from '../../texts/define-texts.ts';
import type { Translation } from '../chinese/names.ts';
import { type Translate, translatorOf } from '../../texts/translator.ts';
import { type Guide, guidesOf } from './guides.ts';

export interface Material {
  language: Language;
  guides: readonly Guide[];
  /** Of the document, which is in English. */
  translation?: Translation;
  translate?: Translate;
}

/** Loads it from this gateway. Raises an error where that fails. */
export async function loadMaterial(language: Language): Promise<Material> {
  if (language === 'zh') {
    const [apiGuide, errors, { chinese }, { sentences }] = await Promise.all([
      import('../../../../docs/zh/api-guide.md?raw'),
      import('../../../../docs/zh/errors.md?raw'),
      import('../chinese/names.ts'),
      import('../chinese/sentences.ts'),
    ]);
    const pages = { apiGuide: apiGuide.default, errors: errors.default };
    return {
      language,
      guides: guidesOf(pages, language),
      translation: chinese,
      translate: translatorOf(sentences),
    };
  }
  const [apiGuide, errors] = await Promise.all([
    import('../../../../docs/api-guide.md?raw'),
    import('../../../../docs/errors.md?raw'),
  ]);
  return { language, guides: guidesOf({ apiGuide: apiGuide.default, errors: errors.default }, language) };
}
