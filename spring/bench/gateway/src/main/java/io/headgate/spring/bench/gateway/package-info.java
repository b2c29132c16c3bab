/** A route whose requests are not limited, limited by Headgate, or limited by the gateway's own filter. */
@NullMarked
package io.headgate.spring.bench.gateway;

import org.jspecify.annotations.NullMarked;
