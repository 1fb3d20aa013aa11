/** The reader's own images, of which others are made: chosen by a dialog, with a mask beside them. */
import { UploadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { type Fault, faultAt } from '../shared/fault.tsx';
import { Field } from '../shared/field.tsx';
import { texts } from './texts.ts';

export interface Own {
  images: readonly File[];
  mask: File | undefined;
}

export const noImages: Own = { images: [], mask: undefined };

interface Props {
  own: Own;
  onChange: (own: Own) => void;
  fault: Fault | undefined;
}

export function OwnImages({ own, onChange, fault }: Props) {
  const say = useTexts(texts);
  const { images, mask } = own;
  return (
    <>
      <Chooser
        name="images"
        files={images}
        label={say('ownImages')}
        hint={say('ownImagesHint')}
        error={faultAt(fault, 'images')}
        onFiles={(files) => onChange({ ...own, images: files })}
      />
      {images.length > 0 && (
        <>
          <Chooser
            name="mask"
            files={mask ? [mask] : []}
            label={say('mask')}
            hint={say('maskHint')}
            error={faultAt(fault, 'mask')}
            onFiles={([file]) => onChange({ ...own, mask: file })}
          />
          <Button onClick={() => onChange(noImages)}>{say('removeImages')}</Button>
        </>
      )}
    </>
  );
}

interface ChooserProps {
  name: 'images' | 'mask';
  files: readonly File[];
  label: string;
  hint: string;
  error: string | undefined;
  onFiles: (files: readonly File[]) => void;
}

function Chooser({ name, files, label, hint, error, onFiles }: ChooserProps) {
  const say = useTexts(texts);
  return (
    <Field name={name} label={label} hint={hint} error={error}>
      {({ status, ...props }) => (
        <div className="tg-drop" data-status={status}>
          <input
            {...props}
            type="file"
            accept="image/png,image/jpeg,image/webp"
            multiple={name === 'images'}
            onChange={(event) => {
              onFiles([...(event.target.files ?? [])]);
              event.target.value = ''; // the same file may be chosen again once it was corrected
            }}
          />
          <UploadOutlined aria-hidden />
          <span className="tg-break">
            {files.length === 0 ? say('chooseImages') : files.map((file) => file.name).join(', ')}
          </span>
        </div>
      )}
    </Field>
  );
}
