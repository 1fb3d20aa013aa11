/** Says where the form's values come from, and what of them is not as it was. */
import { Alert } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';

interface Props {
  title: string;
  notes: readonly string[];
  isWarning: boolean;
  onClose: () => void;
}

export function OpenedAlert({ title, notes, isWarning, onClose }: Props) {
  const say = useTexts(playgroundTexts);
  return (
    <Alert
      className="tg-form-alert"
      type={isWarning ? 'warning' : 'info'}
      showIcon
      role="status"
      closable={{ closeIcon: true, 'aria-label': say('closeNote'), onClose }}
      title={
        <span className="tg-break">
          {title}
          {notes.map((note) => (
            <span key={note} className="tg-opened-note">
              {note}
            </span>
          ))}
        </span>
      }
    />
  );
}
