package io.headgate.bench.run;

import io.headgate.testkit.RedisProbe;

/** Where it all takes place: the Redis, a probe of it, and the pace. */
public record Arena(RedisAccess redis, RedisProbe probe, Pace pace) {}
