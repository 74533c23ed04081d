// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.WriteBufferManager;

/** One bounded piece of memory for all files of the history, up to 100 MB each without it. Kafka Streams makes it by name. */
public final class RocksMemory implements RocksDBConfigSetter {

    private static final long CACHE = 48L << 20;
    private static final long WRITES = 24L << 20;
    private static final long WRITE_BUFFER = 2L << 20;

    /** For the life of the process, as RocksDB's files share it. */
    private static final class Shared {
        private static final Cache CACHED = new LRUCache(CACHE, -1, false, 0.1);
        private static final WriteBufferManager WRITTEN = new WriteBufferManager(WRITES, CACHED);
        private static final BloomFilter FILTER = new BloomFilter(10);
    }

    @Override
    public void setConfig(String store, Options options, Map<String, Object> settings) {
        var table = (BlockBasedTableConfig) options.tableFormatConfig();
        table.setBlockCache(Shared.CACHED);
        table.setFilterPolicy(Shared.FILTER);
        table.setCacheIndexAndFilterBlocks(true);
        table.setPinTopLevelIndexAndFilter(true);
        options.setWriteBufferManager(Shared.WRITTEN);
        options.setWriteBufferSize(WRITE_BUFFER);
        options.setMaxWriteBufferNumber(2);
        options.setTableFormatConfig(table);
    }

    @Override
    public void close(String store, Options options) {
        // What is shared outlives each store.
    }
}
