/** Pairs of texts that are handed back with the batch. */
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Form, Input } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export interface Pair {
  name: string;
  value?: string;
}

/** As the API has it. */
const pairsMax = 16;
const nameCharactersMax = 64;
const valueCharactersMax = 512;

export function MetadataFields() {
  const say = useTexts(texts);
  return (
    <Form.List name="metadata">
      {(fields, { add, remove }) => (
        <fieldset className="tg-batch-metadata">
          <legend>{say('metadata')}</legend>
          {fields.map(({ key, name }, index) => (
            <div key={key} className="tg-batch-pair">
              <Form.Item
                name={[name, 'name']}
                rules={[{ required: true, whitespace: true, message: say('pairNameMissing') }]}
              >
                <Input maxLength={nameCharactersMax} aria-label={say('pairName', { number: index + 1 })} />
              </Form.Item>
              <Form.Item name={[name, 'value']}>
                <Input maxLength={valueCharactersMax} aria-label={say('pairValue', { number: index + 1 })} />
              </Form.Item>
              <Button
                icon={<DeleteOutlined />}
                aria-label={say('removePair', { number: index + 1 })}
                onClick={() => remove(name)}
              />
            </div>
          ))}
          {fields.length < pairsMax && (
            <Button icon={<PlusOutlined />} onClick={() => add({ name: '', value: '' })}>
              {say('addPair')}
            </Button>
          )}
          <p className="tg-batch-hint">{say('metadataHelp')}</p>
        </fieldset>
      )}
    </Form.List>
  );
}
