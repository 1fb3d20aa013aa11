-- Records of requests cost PostgreSQL half of what they did: `seq`, which only orders those of one millisecond, is in no index,
-- and the process that writes them numbers them. The new indexes take some 5 seconds for 10 million records that are kept;
-- meanwhile records wait in their processes, 20,000 in each.

DROP INDEX requests_by_account;
DROP INDEX requests_by_time;
DROP INDEX requests_by_id;
CREATE INDEX requests_by_account ON requests (account_id, created_at);
CREATE INDEX requests_by_time ON requests (created_at);

-- Its id is not of the time when it came: a caller sent it. One that the gateway made is found by its time. Before this
-- column only ids that do not begin as the gateway's are in the index.
ALTER TABLE requests ADD COLUMN is_id_given boolean;
CREATE INDEX requests_by_given_id ON requests (request_id) WHERE is_id_given OR request_id NOT LIKE 'req\_%';
