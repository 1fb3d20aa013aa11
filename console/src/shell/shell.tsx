/** The frame of every page for those who are signed in: top bar, side navigation, and the page itself. */
import { Drawer } from 'antd';
import { useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useSessionQuery } from '../api/session.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { useTexts } from '../texts/define-texts.ts';
import { FirstLoad } from './loading.tsx';
import { SideNavigation } from './side-navigation.tsx';
import { shellTexts } from './texts.ts';
import { TopBar } from './top-bar.tsx';

export function Shell() {
  const say = useTexts(shellTexts);
  const session = useSessionQuery();
  const location = useLocation();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  if (session.data === null) {
    return <Navigate to="/sign-in" replace state={{ next: location.pathname + location.search }} />;
  }
  if (session.isPending) return <FirstLoad />;
  if (!session.data) {
    return (
      <main className="tg-alone">
        <ErrorState error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  return (
    <div className="tg-shell">
      <a className="tg-skip" href="#content">
        {say('skip')}
      </a>
      <TopBar onOpenNavigation={() => setDrawerOpen(true)} />
      <aside className="tg-side">
        <SideNavigation />
      </aside>
      <Drawer
        open={isDrawerOpen}
        onClose={() => setDrawerOpen(false)}
        placement="left"
        size={280}
        title={say('product')}
        rootClassName="tg-drawer"
      >
        <SideNavigation onGo={() => setDrawerOpen(false)} />
      </Drawer>
      <main id="content" className="tg-main" tabIndex={-1}>
        <div className="tg-page">
          <Outlet />
        </div>
      </main>
    </div>
  );
}
