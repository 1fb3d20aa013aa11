/** The application: what all pages stand in, and the routes. */
import { QueryClientProvider } from '@tanstack/react-query';
import { App as AntApp, ConfigProvider } from 'antd';
import english from 'antd/locale/en_US';
import chinese from 'antd/locale/zh_CN';
import { useMemo } from 'react';
import { RouterProvider } from 'react-router';
import { queryClient } from './api/client.ts';
import { router } from './routes.tsx';
import { SignInDialog } from './shell/sign-in-dialog.tsx';
import { UnreachableBanner } from './shell/unreachable-banner.tsx';
import { useLanguage } from './texts/language.ts';
import { useIsDark } from './theme/scheme.ts';
import { styleNonce } from './theme/style-nonce.ts';
import { themeOf } from './theme/tokens.ts';

const csp = { nonce: styleNonce };

export function App() {
  const isDark = useIsDark();
  const language = useLanguage();
  const theme = useMemo(() => themeOf(isDark), [isDark]);
  return (
    <ConfigProvider
      theme={theme}
      csp={csp}
      locale={language === 'zh' ? chinese : english}
      button={{ autoInsertSpace: false }}
    >
      <AntApp className="tg-app">
        <QueryClientProvider client={queryClient}>
          <UnreachableBanner />
          <RouterProvider router={router} />
          <SignInDialog />
        </QueryClientProvider>
      </AntApp>
    </ConfigProvider>
  );
}
