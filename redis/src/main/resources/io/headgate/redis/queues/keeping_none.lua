-- Done jobs are not kept; of those that were, when they were, all are counted, and none has its key.
local keep_most, keep_for = NEVER, 0
