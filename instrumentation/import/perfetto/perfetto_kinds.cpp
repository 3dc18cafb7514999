#include "instrumentation/import/perfetto/perfetto_kinds.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace runahead::importers::perfetto {
namespace {

// The names of consecutive numbers. `first` is the number of the first name; `names` are separated by spaces.
struct NameRun {
  std::uint32_t first = 0;
  std::string_view names;
};

std::string name_in(std::span<const NameRun> runs, std::uint32_t number, std::string_view kind) {
  for (const NameRun& run : runs) {
    if (number < run.first) break;
    std::string_view rest = run.names;
    for (std::uint32_t n = run.first; !rest.empty(); ++n) {
      const std::string_view name = rest.substr(0, rest.find(' '));
      if (n == number) return std::string(name);
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
  return std::string(kind) + "_" + std::to_string(number);
}

// Source of all numbers: Perfetto's protos (trace_packet.proto, ftrace_event.proto,
// sys_stats_counters.proto).
constexpr NameRun kPackets[] = {
    {1, "ftrace_events process_tree"},
    {4, "inode_file_map chrome_events clock_snapshot sys_stats"},
    {9, "process_stats"},
    {11, "track_event"},
    {33,
     "trace_config ftrace_stats trace_stats synchronization_marker profile_packet battery android_log "
     "power_rails"},
    {43,
     "process_descriptor thread_descriptor system_info trigger packages_list chrome_benchmark_metadata "
     "perfetto_metatrace compressed_packets chrome_metadata gpu_counter_event gpu_render_stage_event "
     "streaming_profile_packet profiled_frame_symbols heap_graph graphics_frame_event"},
    {60,
     "track_descriptor module_symbols vulkan_memory_event gpu_log deobfuscation_mapping vulkan_api_event "
     "perf_sample cpu_info smaps_packet service_event initial_display_state gpu_mem_total_event "
     "extension_descriptor memory_tracker_snapshot streaming_allocation streaming_free "
     "frame_timeline_event android_energy_estimation_breakdown ui_state"},
    {80, "camera_frame_event camera_session_stats translation_table game_intervention_list statsd_atom"},
    {86, "android_system_property"},
    {88,
     "network_packet trace_uuid range_of_interest entity_state_residency network_packet_bundle "
     "surfaceflinger_layers surfaceflinger_transactions etw_events shell_transition "
     "shell_handler_mappings"},
    {99,
     "v8_js_code v8_internal_code v8_wasm_code v8_reg_exp_code v8_code_move protolog_message "
     "protolog_viewer_config android_input_event remote_clock_sync"},
    {109,
     "chrome_trigger pixel_modem_events pixel_modem_token_database winscope_extensions "
     "clone_snapshot_trigger bluetooth_trace_event kernel_wakelock_data app_wakelock_bundle "
     "generic_kernel_task_state_event generic_kernel_cpu_freq_event cpu_per_uid_data "
     "generic_kernel_task_rename_event evdev_event generic_kernel_process_tree user_list "
     "trace_provenance protovms trace_attributes android_aflags gpu_info generic_gpu_frequency_event "
     "interrupt_info art_process_metadata journald_event zstd_compressed_packets "
     "concurrent_session_event stack_sample"},
    {138, "recovered_trace_info source_file module_disassembly"},
};

constexpr NameRun kFtraceEvents[] = {
    {3, "print sched_switch"},
    {11,
     "cpu_frequency cpu_frequency_limits cpu_idle clock_enable clock_disable clock_set_rate sched_wakeup "
     "sched_blocked_reason sched_cpu_hotplug sched_waking ipi_entry ipi_exit ipi_raise softirq_entry "
     "softirq_exit softirq_raise i2c_read i2c_write i2c_result i2c_reply smbus_read smbus_write "
     "smbus_result smbus_reply lowmemory_kill irq_handler_entry irq_handler_exit sync_pt sync_timeline "
     "sync_wait ext4_da_write_begin ext4_da_write_end ext4_sync_file_enter ext4_sync_file_exit "
     "block_rq_issue mm_vmscan_direct_reclaim_begin mm_vmscan_direct_reclaim_end mm_vmscan_kswapd_wake "
     "mm_vmscan_kswapd_sleep binder_transaction binder_transaction_received binder_set_priority "
     "binder_lock binder_locked binder_unlock workqueue_activate_work workqueue_execute_end "
     "workqueue_execute_start workqueue_queue_work regulator_disable regulator_disable_complete "
     "regulator_enable regulator_enable_complete regulator_enable_delay regulator_set_voltage "
     "regulator_set_voltage_complete cgroup_attach_task cgroup_mkdir cgroup_remount cgroup_rmdir "
     "cgroup_transfer_tasks cgroup_destroy_root cgroup_release cgroup_rename cgroup_setup_root "
     "mdp_cmd_kickoff mdp_commit mdp_perf_set_ot mdp_sspp_change tracing_mark_write "
     "mdp_cmd_pingpong_done mdp_compare_bw mdp_perf_set_panic_luts mdp_sspp_set mdp_cmd_readptr_done "
     "mdp_misr_crc mdp_perf_set_qos_luts mdp_trace_counter mdp_cmd_release_bw mdp_mixer_update "
     "mdp_perf_set_wm_levels mdp_video_underrun_done mdp_cmd_wait_pingpong mdp_perf_prefill_calc "
     "mdp_perf_update_bus rotator_bw_ao_as_context mm_filemap_add_to_page_cache "
     "mm_filemap_delete_from_page_cache mm_compaction_begin mm_compaction_defer_compaction "
     "mm_compaction_deferred mm_compaction_defer_reset mm_compaction_end mm_compaction_finished "
     "mm_compaction_isolate_freepages mm_compaction_isolate_migratepages mm_compaction_kcompactd_sleep "
     "mm_compaction_kcompactd_wake mm_compaction_migratepages mm_compaction_suitable "
     "mm_compaction_try_to_compact_pages mm_compaction_wakeup_kcompactd suspend_resume "
     "sched_wakeup_new block_bio_backmerge block_bio_bounce block_bio_complete block_bio_frontmerge "
     "block_bio_queue block_bio_remap block_dirty_buffer block_getrq block_plug block_rq_abort "
     "block_rq_complete block_rq_insert"},
    {128,
     "block_rq_remap block_rq_requeue block_sleeprq block_split block_touch_buffer block_unplug "
     "ext4_alloc_da_blocks ext4_allocate_blocks ext4_allocate_inode ext4_begin_ordered_truncate "
     "ext4_collapse_range ext4_da_release_space ext4_da_reserve_space ext4_da_update_reserve_space "
     "ext4_da_write_pages ext4_da_write_pages_extent ext4_direct_IO_enter ext4_direct_IO_exit "
     "ext4_discard_blocks ext4_discard_preallocations ext4_drop_inode ext4_es_cache_extent "
     "ext4_es_find_delayed_extent_range_enter ext4_es_find_delayed_extent_range_exit "
     "ext4_es_insert_extent ext4_es_lookup_extent_enter ext4_es_lookup_extent_exit "
     "ext4_es_remove_extent ext4_es_shrink ext4_es_shrink_count ext4_es_shrink_scan_enter "
     "ext4_es_shrink_scan_exit ext4_evict_inode ext4_ext_convert_to_initialized_enter "
     "ext4_ext_convert_to_initialized_fastpath ext4_ext_handle_unwritten_extents ext4_ext_in_cache "
     "ext4_ext_load_extent ext4_ext_map_blocks_enter ext4_ext_map_blocks_exit ext4_ext_put_in_cache "
     "ext4_ext_remove_space ext4_ext_remove_space_done ext4_ext_rm_idx ext4_ext_rm_leaf "
     "ext4_ext_show_extent ext4_fallocate_enter ext4_fallocate_exit ext4_find_delalloc_range "
     "ext4_forget ext4_free_blocks ext4_free_inode ext4_get_implied_cluster_alloc_exit "
     "ext4_get_reserved_cluster_alloc ext4_ind_map_blocks_enter ext4_ind_map_blocks_exit "
     "ext4_insert_range ext4_invalidatepage ext4_journal_start ext4_journal_start_reserved "
     "ext4_journalled_invalidatepage ext4_journalled_write_end ext4_load_inode "
     "ext4_load_inode_bitmap ext4_mark_inode_dirty ext4_mb_bitmap_load ext4_mb_buddy_bitmap_load "
     "ext4_mb_discard_preallocations ext4_mb_new_group_pa ext4_mb_new_inode_pa "
     "ext4_mb_release_group_pa ext4_mb_release_inode_pa ext4_mballoc_alloc ext4_mballoc_discard "
     "ext4_mballoc_free ext4_mballoc_prealloc ext4_other_inode_update_time ext4_punch_hole "
     "ext4_read_block_bitmap_load ext4_readpage ext4_releasepage ext4_remove_blocks "
     "ext4_request_blocks ext4_request_inode ext4_sync_fs ext4_trim_all_free ext4_trim_extent "
     "ext4_truncate_enter ext4_truncate_exit ext4_unlink_enter ext4_unlink_exit ext4_write_begin"},
    {230,
     "ext4_write_end ext4_writepage ext4_writepages ext4_writepages_result ext4_zero_range "
     "task_newtask task_rename sched_process_exec sched_process_exit sched_process_fork "
     "sched_process_free sched_process_hang sched_process_wait f2fs_do_submit_bio f2fs_evict_inode "
     "f2fs_fallocate f2fs_get_data_block f2fs_get_victim f2fs_iget f2fs_iget_exit f2fs_new_inode "
     "f2fs_readpage f2fs_reserve_new_block f2fs_set_page_dirty f2fs_submit_write_page "
     "f2fs_sync_file_enter f2fs_sync_file_exit f2fs_sync_fs f2fs_truncate "
     "f2fs_truncate_blocks_enter f2fs_truncate_blocks_exit f2fs_truncate_data_blocks_range "
     "f2fs_truncate_inode_blocks_enter f2fs_truncate_inode_blocks_exit f2fs_truncate_node "
     "f2fs_truncate_nodes_enter f2fs_truncate_nodes_exit f2fs_truncate_partial_nodes "
     "f2fs_unlink_enter f2fs_unlink_exit f2fs_vm_page_mkwrite f2fs_write_begin "
     "f2fs_write_checkpoint f2fs_write_end alloc_pages_iommu_end alloc_pages_iommu_fail "
     "alloc_pages_iommu_start alloc_pages_sys_end alloc_pages_sys_fail alloc_pages_sys_start "
     "dma_alloc_contiguous_retry iommu_map_range iommu_sec_ptbl_map_range_end "
     "iommu_sec_ptbl_map_range_start ion_alloc_buffer_end ion_alloc_buffer_fail "
     "ion_alloc_buffer_fallback ion_alloc_buffer_start ion_cp_alloc_retry ion_cp_secure_buffer_end "
     "ion_cp_secure_buffer_start ion_prefetching ion_secure_cma_add_to_pool_end "
     "ion_secure_cma_add_to_pool_start ion_secure_cma_allocate_end ion_secure_cma_allocate_start "
     "ion_secure_cma_shrink_pool_end ion_secure_cma_shrink_pool_start kfree kmalloc kmalloc_node "
     "kmem_cache_alloc kmem_cache_alloc_node kmem_cache_free migrate_pages_end migrate_pages_start "
     "migrate_retry mm_page_alloc mm_page_alloc_extfrag mm_page_alloc_zone_locked mm_page_free "
     "mm_page_free_batched mm_page_pcpu_drain rss_stat ion_heap_shrink ion_heap_grow fence_init "
     "fence_destroy fence_enable_signal fence_signaled clk_enable clk_disable clk_set_rate "
     "binder_transaction_alloc_buf signal_deliver signal_generate oom_score_adj_update generic "
     "mm_event_record sys_enter sys_exit zero gpu_frequency sde_tracing_mark_write mark_victim "
     "ion_stat ion_buffer_create ion_buffer_destroy scm_call_start scm_call_end gpu_mem_total "
     "thermal_temperature cdev_update cpuhp_exit cpuhp_multi_enter cpuhp_enter cpuhp_latency "
     "fastrpc_dma_stat dpu_tracing_mark_write g2d_tracing_mark_write mali_tracing_mark_write "
     "dma_heap_stat cpuhp_pause sched_pi_setprio sde_sde_evtlog sde_sde_perf_calc_crtc "
     "sde_sde_perf_crtc_update sde_sde_perf_set_qos_luts sde_sde_perf_update_bus "
     "rss_stat_throttled netif_receive_skb net_dev_xmit inet_sock_set_state tcp_retransmit_skb "
     "cros_ec_sensorhub_data napi_gro_receive_entry napi_gro_receive_exit kfree_skb "
     "kvm_access_fault kvm_ack_irq kvm_age_hva kvm_age_page kvm_arm_clear_debug kvm_arm_set_dreg32 "
     "kvm_arm_set_regset kvm_arm_setup_debug kvm_entry kvm_exit kvm_fpu kvm_get_timer_map "
     "kvm_guest_fault kvm_handle_sys_reg kvm_hvc_arm64 kvm_irq_line kvm_mmio kvm_mmio_emulate "
     "kvm_set_guest_debug kvm_set_irq kvm_set_spte_hva kvm_set_way_flush kvm_sys_access "
     "kvm_test_age_hva kvm_timer_emulate kvm_timer_hrtimer_expire kvm_timer_restore_state "
     "kvm_timer_save_state kvm_timer_update_irq kvm_toggle_cache kvm_unmap_hva_range "
     "kvm_userspace_exit kvm_vcpu_wakeup kvm_wfx_arm64 trap_reg vgic_update_irq_pending "
     "wakeup_source_activate wakeup_source_deactivate ufshcd_command ufshcd_clk_gating console "
     "drm_vblank_event drm_vblank_event_delivered drm_sched_job drm_run_job drm_sched_process_job "
     "dma_fence_init dma_fence_emit dma_fence_signaled dma_fence_wait_start dma_fence_wait_end "
     "f2fs_iostat f2fs_iostat_latency sched_cpu_util_cfs v4l2_qbuf v4l2_dqbuf vb2_v4l2_buf_queue "
     "vb2_v4l2_buf_done vb2_v4l2_qbuf vb2_v4l2_dqbuf dsi_cmd_fifo_status dsi_rx dsi_tx "
     "android_fs_dataread_end android_fs_dataread_start android_fs_datawrite_end "
     "android_fs_datawrite_start android_fs_fsync_end android_fs_fsync_start funcgraph_entry "
     "funcgraph_exit virtio_video_cmd virtio_video_cmd_done virtio_video_resource_queue "
     "virtio_video_resource_queue_done mm_shrink_slab_start mm_shrink_slab_end trusty_smc "
     "trusty_smc_done trusty_std_call32 trusty_std_call32_done"},
    {465,
     "cma_alloc_start cma_alloc_info lwis_tracing_mark_write virtio_gpu_cmd_queue "
     "virtio_gpu_cmd_response"},
    {476, "hyp_enter hyp_exit host_hcall host_smc host_mem_abort suspend_resume_minimal"},
    {484,
     "samsung_tracing_mark_write binder_command binder_return sched_switch_with_ctrs gpu_work_period "
     "rpm_status panel_write_generic sched_migrate_task dpu_dsi_cmd_fifo_status dpu_dsi_rx dpu_dsi_tx "
     "f2fs_background_gc f2fs_gc_begin f2fs_gc_end fastrpc_dma_free fastrpc_dma_alloc "
     "fastrpc_dma_unmap fastrpc_dma_map google_icc_event google_irm_event device_pm_callback_start "
     "device_pm_callback_end thermal_exynos_acpm_bulk thermal_exynos_acpm_high_overhead dcvsh_freq "
     "kgsl_gpu_frequency"},
};

constexpr NameRun kMeminfo[] = {
    {1,
     "MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active(anon) "
     "Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked SwapTotal SwapFree Dirty Writeback "
     "AnonPages Mapped Shmem Slab SReclaimable SUnreclaim KernelStack PageTables CommitLimit "
     "Committed_AS VmallocTotal VmallocUsed VmallocChunk CmaTotal CmaFree"},
};

constexpr NameRun kVmstat[] = {
    {1,
     "nr_free_pages nr_alloc_batch nr_inactive_anon nr_active_anon nr_inactive_file nr_active_file "
     "nr_unevictable nr_mlock nr_anon_pages nr_mapped nr_file_pages nr_dirty nr_writeback "
     "nr_slab_reclaimable nr_slab_unreclaimable nr_page_table_pages nr_kernel_stack nr_overhead "
     "nr_unstable nr_bounce nr_vmscan_write nr_vmscan_immediate_reclaim nr_writeback_temp "
     "nr_isolated_anon nr_isolated_file nr_shmem nr_dirtied nr_written nr_pages_scanned "
     "workingset_refault workingset_activate workingset_nodereclaim nr_anon_transparent_hugepages "
     "nr_free_cma nr_swapcache nr_dirty_threshold nr_dirty_background_threshold pgpgin pgpgout "
     "pgpgoutclean pswpin pswpout pgalloc_dma pgalloc_normal pgalloc_movable pgfree pgactivate "
     "pgdeactivate pgfault pgmajfault pgrefill_dma pgrefill_normal pgrefill_movable pgsteal_kswapd_dma "
     "pgsteal_kswapd_normal pgsteal_kswapd_movable pgsteal_direct_dma pgsteal_direct_normal "
     "pgsteal_direct_movable pgscan_kswapd_dma pgscan_kswapd_normal pgscan_kswapd_movable "
     "pgscan_direct_dma pgscan_direct_normal pgscan_direct_movable pgscan_direct_throttle "
     "pginodesteal slabs_scanned kswapd_inodesteal kswapd_low_wmark_hit_quickly "
     "kswapd_high_wmark_hit_quickly pageoutrun allocstall pgrotated drop_pagecache drop_slab "
     "pgmigrate_success pgmigrate_fail compact_migrate_scanned compact_free_scanned compact_isolated "
     "compact_stall compact_fail compact_success compact_daemon_wake unevictable_pgs_culled "
     "unevictable_pgs_scanned unevictable_pgs_rescued unevictable_pgs_mlocked "
     "unevictable_pgs_munlocked unevictable_pgs_cleared unevictable_pgs_stranded nr_zspages "
     "nr_ion_heap nr_gpu_heap"},
};

}  // namespace

std::string packet_kind(std::uint32_t number) { return name_in(kPackets, number, "packet"); }
std::string ftrace_event_kind(std::uint32_t number) { return name_in(kFtraceEvents, number, "event"); }
std::string meminfo_name(std::uint32_t number) { return name_in(kMeminfo, number, "meminfo"); }
std::string vmstat_name(std::uint32_t number) { return name_in(kVmstat, number, "vmstat"); }

bool is_about_the_capture(std::uint32_t number) {
  // These numbers are fields that describe a packet itself (such as 3 trusted_uid and 98 machine_id),
  // configuration and statistics of the capture, data that tools need to read other packets, and lists of
  // installed software.
  constexpr std::array<std::uint32_t, 42> kNumbers{
      3,  4,  33, 34, 35, 36, 45,  46,  47,  48,  49,  51,  55,  61,  64,  67,  69,  72,  78,  79,  82,
      83, 87, 89, 90, 97, 98, 105, 107, 109, 111, 113, 123, 124, 125, 126, 127, 128, 130, 138, 139, 140};
  return std::ranges::find(kNumbers, number) != kNumbers.end();
}

}  // namespace runahead::importers::perfetto
