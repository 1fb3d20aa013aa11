/** The names of what spans say, OpenTelemetry's own where it has one. */
export const attributeNames = {
  task: 'tollgate.task.id',
  request: 'tollgate.request.id',
  account: 'tollgate.account.id',
  model: 'tollgate.model',
  provider: 'tollgate.provider',
  outcome: 'tollgate.outcome',
  event: 'tollgate.event.id',
  attempt: 'tollgate.attempt',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
} as const;
