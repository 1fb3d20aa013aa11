/** The models that a key may use: those of the catalogue, or the id of one that is still to come. */
import { Form, Select } from 'antd';
import { query } from '../../api/client.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function ModelField() {
  const say = useTexts(texts);
  const account = useAccountId();
  // Without the catalogue an id can still be typed.
  const models = query.useQuery('get', '/console/api/accounts/{account}/models', { params: { path: { account } } });
  return (
    <Form.Item name="models" label={say('models')} extra={say('modelsHelp')}>
      <Select
        mode="tags"
        tokenSeparators={[',', ' ', '\n']}
        placeholder={say('allModels')}
        maxTagTextLength={60}
        loading={models.isPending}
        options={models.data?.data.map(({ id }) => ({ value: id, label: id })) ?? []}
      />
    </Form.Item>
  );
}
