/** Why a usage is not as its format has it: see `docs/metrics.md`. */
export type OddReason =
  | 'absent'
  | 'bad_count'
  | 'caches_above_prompt'
  | 'parts_above_whole'
  | 'parts_differ'
  | 'total_differs'
  | 'unknown_field'
  | 'other_model';
