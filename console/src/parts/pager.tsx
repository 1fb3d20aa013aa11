/** The buttons below a listing. */
import { Button } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { partsTexts } from './texts.ts';
import type { Listing } from './use-listing.ts';

/** Shows nothing where the first page is all there is. */
export function Pager<Item>({ listing }: { listing: Listing<Item> }) {
  const say = useTexts(partsTexts);
  const { isFirstPage, newer, older, newest } = listing;
  if (isFirstPage && !older) return null;
  return (
    <nav className="tg-pager" aria-label={say('paging')}>
      <Button type="text" disabled={isFirstPage} onClick={newest}>
        {say('newest')}
      </Button>
      <Button disabled={!newer} onClick={newer}>
        {say('newer')}
      </Button>
      <Button disabled={!older} onClick={older}>
        {say('older')}
      </Button>
    </nav>
  );
}
