/** Files that are sent along: images as they look, others by their name. */
import { CloseOutlined, FileOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { bytesText } from '../../../parts/measures.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { texts } from './texts.ts';
import type { Attachment } from './turn.ts';

interface Props {
  files: readonly Attachment[];
  /** None: they were sent. */
  onRemove?: (file: Attachment) => void;
}

export function AttachmentList({ files, onRemove }: Props) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  if (files.length === 0) return null;
  return (
    <ul className="tg-attachments" aria-label={say('attachments')}>
      {files.map((file, index) => (
        <li key={index}>
          {file.address !== null && file.type.startsWith('image/') ? (
            <img src={file.address} alt={file.name} />
          ) : (
            <FileOutlined aria-hidden />
          )}
          <span className="tg-break">
            {file.name} <small>{bytesText(file.bytes, locale)}</small>
            {file.address === null && <small> {say('fileGone')}</small>}
          </span>
          {onRemove && (
            <Button
              type="text"
              size="small"
              icon={<CloseOutlined />}
              aria-label={say('removeFile', { name: file.name })}
              title={say('removeFile', { name: file.name })}
              onClick={() => onRemove(file)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
