/** The files of the batch: what was asked, what was answered, and what failed. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { bytesText } from '../../parts/measures.ts';
import { Panel } from '../../parts/panel.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';

export function Files({ batch: { files } }: { batch: BatchPage }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  return (
    <Panel title={say('files')}>
      <Sheet
        label={say('files')}
        rows={files}
        keyOf={({ role }) => role}
        columns={[
          { key: 'role', title: say('file'), cell: ({ role }) => say(role) },
          { key: 'name', title: say('name'), isWide: true, cell: ({ stored }) => stored?.name ?? say('deleted') },
          {
            key: 'size',
            title: say('size'),
            isNumber: true,
            cell: ({ stored }) => stored && bytesText(stored.bytes, locale),
          },
          {
            key: 'kept',
            title: say('keptUntil'),
            isWide: true,
            cell: ({ stored }) => stored && (stored.expires === null ? say('kept') : <Time at={stored.expires} />),
          },
          {
            key: 'download',
            title: say('download'),
            cell: ({ role, stored }) =>
              stored ? (
                <Button
                  size="small"
                  icon={<DownloadOutlined />}
                  href={stored.url}
                  download
                  aria-label={say('downloadFile', { name: say(role) })}
                >
                  {say('download')}
                </Button>
              ) : (
                say('deleted')
              ),
          },
        ]}
      />
    </Panel>
  );
}
