/** The texts of saved views. */
import { defineTexts } from '../../texts/define-texts.ts';

export const viewTexts = defineTexts('usage-views', {
  en: {
    views: 'Saved views',
    kept: 'A view is what this page shows now: groups, metric, period and comparison. Views are kept in this browser only, for you and this account.',
    name: 'Name of the current view',
    save: 'Save',
    none: 'No views saved yet.',
    full: 'There are {{count}} views already. Delete one first.',
    rename: 'Rename {{name}}',
    newName: 'New name of {{name}}',
    saveName: 'Save the name',
    remove: 'Delete {{name}}',
  },
  zh: {
    views: '已保存的视图',
    kept: '视图即本页当前的分组、指标、时段和对比。仅保存在此浏览器中，且仅用于您和此账户。',
    name: '当前视图的名称',
    save: '保存',
    none: '还没有保存的视图。',
    full: '已有 {{count}} 个视图，请先删除一个。',
    rename: '重命名 {{name}}',
    newName: '{{name}} 的新名称',
    saveName: '保存名称',
    remove: '删除 {{name}}',
  },
});
