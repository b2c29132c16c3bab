package io.headgate.bench;

import io.headgate.testkit.RedisProbe;

/** Where it all takes place: the Redis, a probe of it, and the pace. */
record Arena(RedisAccess redis, RedisProbe probe, Pace pace) {}
