/** The application: what all pages stand in, and the routes. */
import { QueryClientProvider } from '@tanstack/react-query';
import { ConfigProvider } from 'antd';
import { useMemo } from 'react';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from './api/client.ts';
import { router } from './routes.tsx';
import { OverPage } from './shell/over-page.tsx';
import { UnreachableBanner } from './shell/unreachable-banner.tsx';
import { useLibraryTexts } from './texts/library-texts.ts';
import { useIsDark } from './theme/scheme.ts';
import { styleNonce } from './theme/style-nonce.ts';
import { themeClass, themeOf } from './theme/tokens.ts';

const csp = { nonce: styleNonce };

export function App() {
  const isDark = useIsDark();
  const locale = useLibraryTexts();
  const theme = useMemo(() => themeOf(isDark), [isDark]);
  return (
    <ConfigProvider theme={theme} csp={csp} button={{ autoInsertSpace: false }} {...(locale && { locale })}>
      <div className={`tg-app ${themeClass}`}>
        <QueryClientProvider client={queryClient}>
          <UnreachableBanner />
          <RouterProvider router={router} />
          <OverPage />
        </QueryClientProvider>
      </div>
    </ConfigProvider>
  );
}
