/** The frame of every page for those who are signed in: top bar, side navigation, and the page itself. */
import { lazy, Suspense, useState } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useSessionQuery } from '../api/session.ts';
import { ErrorState } from '../parts/error-state.tsx';
import { useTexts } from '../texts/define-texts.ts';
import { FirstLoad } from './loading.tsx';
import { SideNavigation } from './side-navigation.tsx';
import { shellTexts } from './texts.ts';
import { TopBar } from './top-bar.tsx';

const NavigationDrawer = lazy(() => import('./navigation-drawer.tsx'));

export function Shell() {
  const say = useTexts(shellTexts);
  const session = useSessionQuery();
  const location = useLocation();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [wasDrawerOpen, setWasDrawerOpen] = useState(false);
  const openDrawer = () => {
    setWasDrawerOpen(true);
    setDrawerOpen(true);
  };
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
      <TopBar onOpenNavigation={openDrawer} />
      <aside className="tg-side">
        <SideNavigation />
      </aside>
      {wasDrawerOpen && (
        <Suspense fallback={null}>
          <NavigationDrawer isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} />
        </Suspense>
      )}
      <main id="content" className="tg-main" tabIndex={-1}>
        <div className="tg-page">
          <Outlet />
        </div>
      </main>
    </div>
  );
}
