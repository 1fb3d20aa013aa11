/** The words of antd, such as those of calendars, in the reader's language. English is built in; Chinese comes with its readers. */
import type { ConfigProviderProps } from 'antd';
import { useEffect } from 'react';
import { createStore, useStore } from '../api/store.ts';
import { useLanguage } from './language.ts';

type LibraryTexts = NonNullable<ConfigProviderProps['locale']>;

const chinese = createStore<LibraryTexts | undefined>(undefined);

/** Returns undefined for English, and for as long as Chinese is on its way: that is there before a page's data. */
export function useLibraryTexts(): LibraryTexts | undefined {
  const isChinese = useLanguage() === 'zh';
  const loaded = useStore(chinese);
  useEffect(() => {
    if (isChinese) void import('antd/locale/zh_CN').then((module) => chinese.set(module.default));
  }, [isChinese]);
  return isChinese ? loaded : undefined;
}
