/** Bans and exemptions: the command {@code headgate ban} and the path {@code /v1/bans}. */
@NullMarked
package io.headgate.server.bans;

import org.jspecify.annotations.NullMarked;
