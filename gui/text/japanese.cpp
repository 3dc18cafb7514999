// Japanese. Terms follow the Japanese teaching material on deep learning: フロントエンド, バックエンド, 演算
// (op), エンキュー, バリア, 先行 (run-ahead), スライス, トラック. API and track names are not translated.
#include <array>

#include "gui/text/language_table.h"

namespace runahead::gui {

namespace {

constexpr auto kTexts = std::to_array<TextEntry>({
    // The toolbar.
    {Text::kWorkloadHint, "何を実行するか。どのワークロードも、問いを持った実験です。"},
    {Text::kDeviceHint, "どこで計算するか。仮想 GPU はシミュレーションで、どのマシンでも動きます。"},
    {Text::kNeedsAccelerator,
     "このワークロードには cpu のほかにデバイスが必要です。仮想 GPU を選んでください。"},
    {Text::kSimulatedMark, "(模擬)"},
    {Text::kRun, "実行"},
    {Text::kRestart, "再実行"},
    {Text::kRunHint, "ワークロードを開始する（Ctrl+R）"},
    {Text::kRestartHint, "この実行を終え、選んだ内容で最初から始める（Ctrl+R）"},
    {Text::kPause, "一時停止"},
    {Text::kResume, "再開"},
    {Text::kPauseHint, "プログラムをステップの間で止める。タイムラインはいつでも動かせる（Space）"},
    {Text::kStep, "1 ステップ"},
    {Text::kStepHint, "1 ステップ進めて、また一時停止する"},
    {Text::kStop, "停止"},
    {Text::kStopHint, "実行を終える。記録した内容は残る"},
    {Text::kRecord, "記録"},
    {Text::kRecordHint, "これ以降のすべてを .runahead ファイルに書き込む"},
    {Text::kStopRecording, "記録を停止"},
    {Text::kOpen, "開く"},
    {Text::kOpenHint, "記録を開く（Ctrl+O）"},
    {Text::kSaveAs, "保存"},
    {Text::kSaveHint, "画面の内容を保存またはエクスポートする（Ctrl+S）"},
    {Text::kHelpHint, "すべてのキーと操作（?）"},
    {Text::kMenuHint, "テーマ、倍率、言語、パネル"},
    // The menu.
    {Text::kOpenDots, "開く…"},
    {Text::kRecordDots, "ファイルに記録…"},
    {Text::kSaveAsDots, "保存・エクスポート…"},
    {Text::kOpenRecent, "最近使ったファイル"},
    {Text::kForgetRecent, "この一覧を消去"},
    {Text::kSavePicture, "画像を保存…"},
    {Text::kSavePictureTitle, "ウィンドウの画像を保存"},
    {Text::kMarkedFiles, "{0} 個のトレースを 1 つのタイムラインで開きます"},
    {Text::kJoinedName, "{0} ほか {1} 個"},
    {Text::kCopyTable, "コピー"},
    {Text::kCopyTableHint, "表をクリップボードにコピーする。表計算ソフトに貼り付けられる"},
    {Text::kTableCopied, "クリップボードにコピーしました：{0} 行"},
    {Text::kSaveTableHint, "表をファイルに保存する：.csv、またはタブ区切りの .tsv"},
    {Text::kSaveTableTitle, "表の保存"},
    {Text::kTableEndings, "拡張子で形式が決まります：.csv（コンマ）または .tsv（タブ）"},
    {Text::kTableValue, "値"},
    {Text::kTableUnit, "単位"},
    {Text::kTableFigures, "項目"},
    {Text::kTableNames, "名前"},
    {Text::kLightTheme, "ライトテーマ"},
    {Text::kMotion, "滑らかな動き"},
    {Text::kScale, "表示倍率"},
    {Text::kPresentation, "プレゼンテーション"},
    {Text::kLeavePresentation, "プレゼンテーションを終える (P)"},
    {Text::kShowAllTracks, "隠したトラックを表示"},
    {Text::kLanguage, "言語 (Language)"},
    {Text::kLanguageNeedsFont,
     "この文字を持つフォントがありません。fonts-noto-cjk（Noto Sans CJK）を入れて起動し直してください。"},
    {Text::kLanguageWithoutFont,
     "言語 {0}：その文字を持つフォントがないため英語で表示します。fonts-noto-cjk "
     "を入れて起動し直してください"},
    {Text::kResetSettings, "すべての設定を初期化"},
    {Text::kHelp, "キーと操作"},
    {Text::kQuit, "終了"},
    {Text::kPanelLesson, "実験とパラメータ"},
    {Text::kPanelDetails, "詳細"},
    {Text::kPanelStrip, "変更の前と後"},
    {Text::kPanelStatus, "ステータス行"},
    {Text::kPanelLegend, "色の凡例"},
    {Text::kPanelDebug, "デバッグパネル"},
    {Text::kPanelMetrics, "ImGui メトリクス"},
    {Text::kPanelGraph, "依存関係グラフ"},
    {Text::kPanelQuery, "クエリ（SQL）"},
    // The barrier row.
    {Text::kBarrier, "バリア"},
    {Text::kBarrierHint,
     "フロントエンドがどこで待つか。ワークロードの実行中に切り替えて、フロントエンドとバックエンドの反応を見"
     "てく"
     "ださい（キー 1 から 9）。"},
    {Text::kForecastHint,
     "予測：{0} ステップ/秒（{1}～{2}）、最大メモリ {3}。直前の {4} "
     "の実行からのシミュレーションです。演算の時間は変わらないものとします。"},
    {Text::kForecastGrows, "先行は安全上限まで増えます。これは上限でのメモリです。"},
    {Text::kReplayDrifts,
     "予測なし：変更のない実行のシミュレーションが実際と {0} 異なります。許容は {1} までです。"},
    {Text::kPredictedOff, "予測 {0}（誤差 {1}）"},
    {Text::kPredictedOnly, "予測 {0}"},
    {Text::kPredictedHint, "バリアを選ぶ前の予測：{0}（{1}～{2}）。"},
    {Text::kPredictedHintAlone, "バリアを選ぶ前の予測：{0}。"},
    // What to try, and parameters.
    {Text::kChooseWorkload, "上でワークロードを選ぶと、何を試せるかがここに出ます。"},
    {Text::kLookFor, "見どころ"},
    {Text::kExercises, "演習"},
    {Text::kExercise, "演習"},
    {Text::kCompare, "比較"},
    {Text::kLesson, "レッスン {0}"},
    {Text::kStageQuestion, "問い"},
    {Text::kStagePrediction, "あなたの予想"},
    {Text::kStageRun, "実行"},
    {Text::kStageCompare, "何が起きたか"},
    {Text::kStageWhy, "理由"},
    {Text::kPredictFirst, "まず結果を予想し、それから実行してください。"},
    {Text::kPredictNow, "予想する"},
    {Text::kWriteDown, "予想を確定"},
    {Text::kWithoutPrediction, "予想せずに進む"},
    {Text::kIsWrittenDown, "予想は確定しました。もう変わりません。"},
    {Text::kOnToTheRun, "実行へ進む"},
    {Text::kTimes, "倍"},
    {Text::kRunThis, "これを実行"},
    {Text::kSwitchToThis, "これに切り替え"},
    {Text::kRunAgain, "もう一度"},
    {Text::kPartToCome, "これから"},
    {Text::kPartRuns, "実行中"},
    {Text::kPartWarmingUp, "まだ変動中：あと少し"},
    {Text::kPartMeasured, "測定済み"},
    {Text::kLetItClimb, "live のメモリが増えるまで数秒間実行し、それから切り替えてください。"},
    {Text::kCompareNow, "予想と比べる"},
    {Text::kYouSaid, "あなたの予想：{0}"},
    {Text::kItWas, "実測：{0}"},
    {Text::kNotMeasuredYet, "まだ測定していません"},
    {Text::kNotPredicted, "予想なし"},
    {Text::kVerdictNotSettled, "判定なし：値がまだ安定していません"},
    {Text::kWaitUntilSettled, "まだ安定していません。お待ちください。速さが安定しないと判定できません。"},
    {Text::kVerdictRight, "正解"},
    {Text::kVerdictClose, "ほぼ正解"},
    {Text::kVerdictOther, "違いました"},
    {Text::kVerdictTooLow, "小さすぎ"},
    {Text::kVerdictTooHigh, "大きすぎ"},
    {Text::kMeasuredOn, "{0} で測定"},
    {Text::kWhyNow, "なぜ？"},
    {Text::kGoOnWith, "次に取り組む演習"},
    {Text::kBeginAgain, "最初から"},
    {Text::kLessonOfRecording, "この記録を作ったときのレッスンです。"},
    {Text::kResetClass, "次の授業のために初期化"},
    {Text::kResetClassHint, "実行を終え、予想と測定値を消す。言語、テーマ、パネルはそのまま残る"},
    {Text::kPublished, "公表値"},
    {Text::kPublishedAndHere, "公表値とこのマシン"},
    {Text::kHere, "実測"},
    {Text::kShape, "比"},
    {Text::kShapeHint, "マシンはそれぞれ違う。秒数ではなく、同じ資料の最初の条件に対する比を比べてください"},
    {Text::kNoFigure, "–"},
    {Text::kLossThese, "これらの"},
    {Text::kLossTheseFirst, "これらの"},
    {Text::kLossCounted, "{0} 件の"},
    {Text::kMeasureUntick, "測定するには「停止するまで続ける」を外して実行してください。"},
    {Text::kMeasureRun, "実行すると測定されます。"},
    {Text::kParameters, "パラメータ"},
    {Text::kSizeClass, "授業用"},
    {Text::kSizeClassHint, "1 ステップが数ミリ秒の大きさ。変化がすぐに見える"},
    {Text::kSizePublished, "公表時"},
    {Text::kSizePublishedHint, "公表された実験の大きさ。遅く、メモリも多く使う"},
    {Text::kEndless, "停止するまで続ける"},
    {Text::kEndlessHint,
     "ステップに終わりがなく、バリアをゆっくり切り替えられる。オフなら下のステップ数だけ実行する"},
    {Text::kEngineSettings, "エンジン"},
    {Text::kWorkers, "ワーカー"},
    {Text::kWorkersHint, "デバイス cpu で演算を実行するスレッドの数"},
    {Text::kCopyWorkers, "コピー用"},
    {Text::kCopyWorkersHint, "デバイス cpu でコピーだけを行うスレッドの数。0：ワーカーがコピーする"},
    {Text::kBlasThreads, "BLAS スレッド"},
    {Text::kBlasThreadsHint, "cpu での行列積 1 回に使えるスレッドの数"},
    {Text::kSpin, "スピン, us"},
    {Text::kSpinHint, "待つスレッドや空いたスレッドが、眠る前にスピンする時間。0：すぐに眠る"},
    {Text::kBulk, "一括エンキュー"},
    {Text::kBulkHint, "最大この数の演算を 1 つにまとめて渡す。中の演算は順に実行される。0：1 つずつ渡す"},
    {Text::kLimitOps, "上限（演算）"},
    {Text::kLimitOpsHint, "安全上限：フロントエンドがこの数の演算だけ先行すると止められる"},
    {Text::kLimitBytes, "上限（MiB）"},
    {Text::kLimitBytesHint, "安全上限：先行する演算の出力がこの量になると、フロントエンドは止められる"},
    {Text::kCapacity, "容量（MiB）"},
    {Text::kCapacityHint, "各デバイスが持つメモリ。0：デバイス本来の量"},
    {Text::kReadyOrder, "実行の順序"},
    {Text::kReadyOrderHint, "準備できた演算のうち、次にどれを実行するか"},
    {Text::kFirstReady, "準備順"},
    {Text::kOldestFirst, "古い順"},
    {Text::kMemoryAllocated, "メモリ確保"},
    {Text::kMemoryTakenHint, "演算の出力がいつメモリを確保するか。エンキュー時か、実行時か"},
    {Text::kAtEnqueue, "エンキュー"},
    {Text::kAtExecution, "実行時"},
    {Text::kWaiterHelps, "待つ間も演算を実行"},
    {Text::kWaiterHelpsHint, "フロントエンドが待つ間、準備できた cpu の演算を自分で実行する"},
    {Text::kTrim, "空きメモリを返却"},
    {Text::kTrimHint,
     "デバイスのプールが保持し、どの配列も使っていないメモリをシステムに返す。reserved は live まで下がる"},
    {Text::kFrom, "範囲"},
    {Text::kTo, "～"},
    {Text::kAppliesAtRestart, "変更は次の開始時に有効になります。「再実行」を押してください。"},
    // Details of a selection or a range.
    {Text::kDetails, "詳細"},
    {Text::kResults, "結果"},
    {Text::kOfBarrier, "バリア"},
    {Text::kDetailsEmptyClick,
     "スライスをクリックすると、その 4 つの時刻と、何を待ったか、何の待ちを解いたかが分かります。"},
    {Text::kDetailsEmptyRange,
     "目盛りに沿ってドラッグするか、Shift を押しながらドラッグすると、範囲を測定できます。"},
    {Text::kDetailsEmptyArea, "Ctrl を押しながら行の上をドラッグすると、その行だけの統計を表示します。"},
    {Text::kSelection, "選択したスライス"},
    {Text::kFlows, "つながり"},
    {Text::kGoThere, "クリックで移動"},
    {Text::kLinkedIn, "{0} の中"},
    {Text::kLinkedEarlier, "{0} 前"},
    {Text::kLinkedLater, "{0} 後"},
    {Text::kMadeReadyBy, "準備を完了させたもの"},
    {Text::kMadeReady, "次に準備完了"},
    {Text::kMadeReadyMore, "ほか {0} 件"},
    {Text::kMadeReadyUnseen, "次に準備完了：{0} 件（実行はトレースにない）"},
    {Text::kMadeReadyNotAll, "この演算に依存する演算のすべては調べていません。"},
    {Text::kAwaitedOp, "待った演算：{0}"},
    {Text::kCauseEvidence, "根拠"},
    {Text::kCauseRecorded, "トレースに記録"},
    {Text::kCauseInferred, "推定"},
    {Text::kCausePlace, "呼び出し元"},
    {Text::kCauseIdleAfter, "その後のデバイスの空き"},
    {Text::kCauseStream, "場所"},
    {Text::kOpPartInputs, "準備待ち"},
    {Text::kOpPartQueued, "待ち行列"},
    {Text::kOpPartRuns, "実行"},
    {Text::kFlowExecutes, "実行"},
    {Text::kFlowEnqueuedBy, "エンキュー元"},
    {Text::kFlowReleases, "待ちを解く先"},
    {Text::kFlowReleasedBy, "待ちを解いた元"},
    {Text::kFlowNeededBy, "依存元"},
    {Text::kFlowNeeds, "依存先"},
    {Text::kFlowLaunches, "起動する"},
    {Text::kFlowLaunchedBy, "起動元"},
    {Text::kFlowTo, "行き先"},
    {Text::kFlowFrom, "出どころ"},
    {Text::kZoomToIt, "ここを拡大"},
    {Text::kClear, "解除"},
    {Text::kRange, "測定範囲"},
    {Text::kPartOfRun, "区間：{0}"},
    {Text::kPartMeasure, "クリックするとこの区間を測定"},
    {Text::kPartClear, "クリックするとこの区間の測定をやめる"},
    {Text::kPartNotMeasured, "まだ測定するものがありません。現在の区間：{0}"},
    {Text::kMeasuring, "測定中…"},
    {Text::kArea, "選択した領域"},
    {Text::kAreaTracks, "トラック数"},
    {Text::kAreaSlices, "スライス数"},
    {Text::kAreaTime, "スライス時間"},
    {Text::kAreaTimeHint, "領域内にあるスライスの時間の合計。括弧内は、領域の全レーンの時間に占める割合。"},
    {Text::kAreaShare, "割合"},
    {Text::kAreaMean, "平均"},
    {Text::kAreaMin, "最小"},
    {Text::kAreaMax, "最大"},
    {Text::kAreaCounters, "カウンター"},
    {Text::kAreaMoreNames, "ほか {0} 件の名前は、表をコピーまたは保存すると見られます"},
    {Text::kDuration, "長さ"},
    {Text::kPausedFor, "うち停止中"},
    {Text::kStepsRate, "ステップ/秒"},
    {Text::kBlockedShort, "待ち時間"},
    {Text::kSteps, "ステップ数"},
    {Text::kStepsWord, "ステップ"},
    {Text::kOps, "演算数"},
    {Text::kOpsWord, "演算"},
    {Text::kExecuting, "実行"},
    {Text::kCopying, "コピー"},
    {Text::kOverlap, "両方同時"},
    {Text::kCopied, "コピー量"},
    {Text::kCopyRate, "コピー速度"},
    {Text::kMostRunAhead, "最大の先行"},
    {Text::kName, "名前"},
    {Text::kCount, "回数"},
    {Text::kTotal, "合計"},
    {Text::kMean, "平均"},
    // Before and after the last toggle.
    {Text::kStepsPerSecond, "毎秒ステップ数"},
    {Text::kBlocked, "フロントエンドの待ち時間"},
    {Text::kPeakMemory, "ピークメモリ"},
    {Text::kRunAheadSteps, "最大先行ステップ"},
    {Text::kRunAheadOps, "最大先行演算数"},
    {Text::kBefore, "前"},
    {Text::kAfter, "後"},
    {Text::kSoFar, "現在まで"},
    {Text::kWarmingUp, "ウォームアップ中"},
    {Text::kDraining, "残りを処理中"},
    {Text::kSettling, "安定化中"},
    {Text::kNotSettled, "安定せず"},
    {Text::kHostTooSlow, "ホストがモデルより遅い"},
    {Text::kHintBeforeAfter, "{0}：前 {1}、後 {2}"},
    {Text::kHintSoFar, "{0}：現在まで {1}"},
    {Text::kPeakOfAllDevices, "全デバイスのピークの合計です。メモリパネルは 1 つのデバイスを表示します。"},
    {Text::kAllDevices, "全デバイス"},
    {Text::kByLimit, "安全上限による"},
    {Text::kShareByLimit, "うち {0} は安全上限"},
    {Text::kBeforeByLimit, "前：{0}"},
    {Text::kLimitHint, "時間の {0} は、バリアではなく安全上限がフロントエンドを止めていました。"},
    {Text::kLimitHintBeforeAfter, "バリアではなく安全上限がフロントエンドを止めていた時間：前 {0}、後 {1}。"},
    {Text::kLimitIs, "安全上限：未完了の演算は最大 {0} 個、その出力は最大 {1}。"},
    {Text::kAnswerSlower, "{0} 遅い"},
    {Text::kAnswerTimesSlower, "速度が 1/{0}"},
    {Text::kAnswerFaster, "{0} 速い"},
    {Text::kAnswerTimesFaster, "速度が {0} 倍"},
    {Text::kAnswerSameSpeed, "速度は同じ"},
    {Text::kAnswerLessMemory, "メモリ {0} 減"},
    {Text::kAnswerTimesLessMemory, "メモリが 1/{0}"},
    {Text::kAnswerMoreMemory, "メモリ {0} 増"},
    {Text::kAnswerTimesMoreMemory, "メモリが {0} 倍"},
    {Text::kAnswerSameMemory, "メモリは同じ"},
    {Text::kAnswerSpeed, "毎秒 {0} ステップ"},
    {Text::kAnswerMemory, "メモリ {0}"},
    {Text::kStripEmpty,
     "「実行」を押してからバリアを切り替えると、何が変わったかが、前と後を並べてここに出ます。"},
    {Text::kStripNoChange, "このトレースではバリアの切り替えがありません。"},
    // The strip of a trace without barriers.
    {Text::kWholeTrace, "トレース全体"},
    {Text::kMedianStep, "1ステップ（中央値）"},
    {Text::kEachStep, "1ステップの長さ"},
    {Text::kDeviceBusy, "稼働"},
    {Text::kRecordedWaits, "待ちのスライス"},
    {Text::kDevicesCount, "{0} 台"},
    {Text::kHintWhole, "{0}：{1}"},
    // The status line, errors, long work.
    {Text::kStateRunning, "実行中"},
    {Text::kStatePaused, "一時停止中"},
    {Text::kStateStopping, "停止処理中"},
    {Text::kStateFinished, "終了"},
    {Text::kStateFailed, "失敗"},
    {Text::kNothingRuns, "まだ何も実行していません"},
    {Text::kOpenedFile, "ファイル"},
    {Text::kFollowedFile, "ライブ：{0}（プログラムが書き込み中）"},
    {Text::kFollowedBroken, "{0}：{1} への接続が切れています（プログラムは実行中）"},
    {Text::kFollowedEnded, "{0}：プログラムが終了しました"},
    {Text::kRunOn, "{0}、デバイス {1}"},
    {Text::kOpsInFlight, "件の演算が未完了"},
    {Text::kHeldByLimit, "回、上限で停止"},
    {Text::kLateOps, "件の演算が遅延"},
    {Text::kRecordingTo, "記録中："},
    {Text::kDismiss, "閉じる"},
    {Text::kCancel, "キャンセル"},
    {Text::kOpening, "開いています："},
    {Text::kSaving, "保存しています："},
    {Text::kJoining, "まとめています："},
    {Text::kSaved, "保存しました："},
    {Text::kRecorded, "記録しました："},
    {Text::kRetainsLast, "最後の {0} だけを残す"},
    {Text::kRecordInFiles, "{0} ごとに新しいファイル"},
    {Text::kNoGpuActivity, "演算の時間は CUDA イベントによるもので、GPU 自身の活動は記録されていません"},
    {Text::kCancelled, "キャンセルしました"},
    {Text::kNothingToSave, "保存：まだ何も記録されていません。先に「実行」を押してください"},
    {Text::kOtherWork, "「{0}」：時間のかかる別の処理が進行中です。待つか、キャンセルしてください"},
    {Text::kIsTheOpenTrace, "「{0}」は開いているトレースです。別の名前を指定してください"},
    {Text::kStillJoining,
     "「{0}」：記録を始めていません。「{1}」をまだまとめています。待つか、キャンセルしてください"},
    // The timeline's surroundings.
    {Text::kLive, "ライブ"},
    {Text::kLiveHint, "再び最新のデータを追う（End）"},
    {Text::kEmptyTimeline, "まだ表示するものがありません"},
    {Text::kEmptyTimelineHint, "「実行」でワークロードを始めるか、「開く」で記録を見てください。"},
    {Text::kWaitingForData, "最初のイベントを待っています…"},
    {Text::kSearchHint, "トラックまたはグループの名前"},
    // Choosing a file.
    {Text::kOpenTitle, "記録またはスクリプトを開く"},
    {Text::kProgramsThatRecord, "記録中のプログラム"},
    {Text::kSaveTitle, "保存・エクスポート"},
    {Text::kRecordTitle, "ファイルに記録"},
    {Text::kRetention, "残す範囲"},
    {Text::kRecordWhole, "実行全体"},
    {Text::kRecordLast, "最後の"},
    {Text::kRetentionHint,
     "終わりだけを残す場合：長い実行の古い部分は記録中に捨てる。少なくともこれだけは残り、記録を止めると 1 "
     "つのファイルにまとまる"},
    {Text::kSave, "保存"},
    {Text::kFolderEmpty, "ここには開けるファイルがありません"},
    {Text::kFolderUp, "上へ"},
    {Text::kFileNameHint, "ファイル名またはパス"},
    {Text::kSaveEndings,
     "形式は拡張子で決まります：.runahead、.json か .json.gz（Chrome）、.pftrace（Perfetto）、.csv"},
    {Text::kFileKeys, "矢印キーで選択、Enter で決定、Esc で取り消し"},
    {Text::kOpenKeys, "矢印キーで選択、Ctrl+クリックで同じタイムラインに追加、Enter で決定、Esc で取り消し"},
    {Text::kFolderUnreadable, "「{0}」：このフォルダを読めません：{1}。別のフォルダを選んでください"},
    {Text::kFileNotThere, "「{0}」：そのファイルはありません。一覧から選んでください"},
    {Text::kFileIsThere, "「{0}」はすでにあります。もう一度押すと上書きします"},
    // Help.
    {Text::kHelpTitle, "キーと操作"},
    {Text::kHelpRun, "実行"},
    {Text::kHelpView, "表示"},
    {Text::kHelpMouse, "マウス"},
    {Text::kKeyBarrier, "バリア、左から順に"},
    {Text::kKeyPause, "プログラムの一時停止と再開"},
    {Text::kKeyRun, "実行、または再実行"},
    {Text::kKeyFiles, "記録を開く、保存・エクスポート"},
    {Text::kKeyPanels, "プレゼンテーション、凡例、依存関係グラフ、クエリ、待ち、スクリプト、デバッグパネル"},
    {Text::kKeyHelp, "このヘルプ、選択の解除"},
    {Text::kKeyZoom, "拡大と縮小"},
    {Text::kKeyPan, "左右に移動"},
    {Text::kKeyShow, "全体を表示、選択に合わせる、最新を追う"},
    {Text::kKeyMark, "表示範囲または選択したスライスを測定"},
    {Text::kKeySearch, "スライスを検索"},
    {Text::kKeyFilter, "トラックを名前で絞り込む"},
    {Text::kKeyNote, "マウスの位置にメモ"},
    {Text::kNoteHint, "{0} のメモ。空にすると消えます"},
    {Text::kNoteNotSaved, "メモは保存（Ctrl+S）すると残ります"},
    {Text::kKeyNext, "同じトラックの次と前、つながりに沿って移動"},
    {Text::kKeyFlows, "つながりをもう一段、直接のものだけ"},
    {Text::kKeyColours, "色の意味、種類・名前・ステップ別"},
    {Text::kMouseWheel,
     "ホイール：ポインタを中心に拡大縮小。Shift：移動。Ctrl、または名前の上：トラックをスクロール"},
    {Text::kMouseDrag, "ドラッグ：上下左右に移動"},
    {Text::kMouseClick, "クリック：選択。ダブルクリック：そこを拡大"},
    {Text::kMouseRange, "目盛りをドラッグ、または Shift を押しながらドラッグ：範囲を測定"},
    {Text::kMousePart, "目盛りに表示された実行の区間をクリック：その区間を測定"},
    {Text::kMouseArea, "Ctrl を押しながらドラッグ：行と時間範囲を選択。Esc で解除"},
    // Questions to the trace.
    {Text::kQueryAsk, "問い合わせ"},
    {Text::kQueryAskHint, "現時点のトレースに問い合わせる（Ctrl+Enter）"},
    {Text::kQueryCancel, "キャンセル"},
    {Text::kQueryExamples, "例"},
    {Text::kQueryTables,
     "slice: id ts dur name kind track track_name depth op bytes flags args open\n"
     "wait: slice ts dur name track track_name op chain_ops longest_op executing copying queueing dispatch "
     "enqueue wake_up held_by_limit other\n"
     "op: id number name step enqueued ready started ended enqueue_track execute_track output_bytes flags "
     "slice\n"
     "dependency: op on_op kind ts\n"
     "flow: kind name op from_track from_ts to_track to_ts message\n"
     "counter: track track_name ts value\n"
     "instant: ts name track op args\n"
     "track: id name kind parent path device simulated unit pid tid\n"
     "args: id key value    metadata: key value    loss: cause count sentence\n"
     "時刻は開始からのナノ秒です。"},
    {Text::kQueryCloseHint, "クエリを閉じる（Q）"},
    {Text::kQueryFirst,
     "例を選ぶか、slice、wait、op、flow、counter、track などの表に対する SQL を書いて問い合わせてください。"},
    {Text::kQueryRunning, "問い合わせ中…"},
    {Text::kQueryRows, "{0} 行、{1} ms"},
    {Text::kQueryCut, "先頭のみ。すべて見るには LIMIT か集計を使う"},
    {Text::kQueryClick, "行をクリックするとそのスライスへ"},
    {Text::kQueryUnavailable,
     "このプログラムは SQLite なしで作られています。libsqlite3-dev を入れて作り直してください。"},
    {Text::kQueryByName, "時間の行方、名前ごと"},
    {Text::kQueryLongest, "最も長いスライス"},
    {Text::kQueryWaits, "待ちは本当は何を待っていたか"},
    {Text::kQueryQueued, "準備後に長く待たされた演算"},
    {Text::kQueryPeaks, "カウンタの最小と最大"},
    {Text::kQuerySteps, "各ステップの時間"},
    // The dependency graph.
    {Text::kGraphButton, "グラフ"},
    {Text::kGraphButtonHint, "どの演算がどの演算を待つか（G）"},
    {Text::kQueryButton, "クエリ"},
    {Text::kQueryButtonHint, "SQL でトレースに何でも問い合わせる（Q）"},
    {Text::kPanelFind, "スライスを検索"},
    {Text::kFindHint, "名前、dur>1ms、bytes>=4M、step=12、kind=wait、track=cpu"},
    {Text::kFindHelp,
     "すべての条件を満たすものを探します。名前は一部分でも見つかり、引用符で囲むと語をつなげ、name=\"add\" "
     "は完全"
     "一致です。\n"
     "dur と bytes には <、<=、=、>=、> が使え、kind は zone、enqueue、execute、wait、copy、allocation、step "
     "のいずれかです。\n"
     "行をクリックするとそのスライスへ、ヒストグラムの棒をクリックするとその中のスライスへ移ります。"},
    {Text::kFindKindHint, "この種類のスライスだけを残す"},
    {Text::kFindAllKindsHint, "すべての種類のスライスを再び表示する"},
    {Text::kFindLooking, "検索中…"},
    {Text::kFindNames, "個の名前。クリックするとそのスライスへ"},
    {Text::kFindSummary, "{0} スライス、合計 {1}"},
    {Text::kFindListed, "一覧："},
    {Text::kFindInRange, "範囲内のみ"},
    {Text::kFindMost, "最長"},
    {Text::kFindMean, "平均"},
    {Text::kFindCloseHint, "閉じる（Esc）"},
    {Text::kFindButton, "検索"},
    {Text::kFindButtonHint, "名前と値でスライスを検索し、名前ごとの所要時間を見る（/）"},
    {Text::kPanelWaits, "待ち"},
    {Text::kWaitsButton, "待ち"},
    {Text::kWaitsButtonHint, "フロントエンドが何を待ったか、長い順に（B）"},
    {Text::kWaitsCloseHint, "待ちの一覧を閉じる（B）"},
    {Text::kWaitsNone, "待ちはありません"},
    {Text::kWaitsNoneWhy,
     "フロントエンドの待ちも、デバイスを待つ CUDA や HIP の呼び出しも見つかりませんでした。"},
    {Text::kWaitsSummary, "待ち {0} 回、合計 {1}"},
    {Text::kWaitsSummaryOne, "待ち 1 回、{0}"},
    {Text::kWaitsWhere, "待ち箇所"},
    {Text::kWaitsForOp, "待った演算"},
    {Text::kWaitsMostly, "主な原因"},
    {Text::kWaitsOpsBefore, "前の演算"},
    {Text::kWaitsOwnCost, "自身のコスト"},
    {Text::kWaitsAllOfThem, "すべての待ちの内訳"},
    {Text::kWaitsInferred, "推定：{0}"},
    {Text::kWaitsForNothing, "なし（完了済み）"},
    {Text::kWaitsOfTrace, "トレース全体、{0}"},
    {Text::kWaitsOfRange, "測定範囲、{0}"},
    // The causes.
    {Text::kPanelCauses, "原因"},
    {Text::kCausesButton, "原因"},
    {Text::kCausesButtonHint, "デバイスが空いた理由、クリティカルパス、改善点（E）"},
    {Text::kCausesCloseHint, "原因を閉じる（E）"},
    {Text::kCausesExplaining, "トレースを分析しています"},
    {Text::kCausesSummary, "{0} を分析"},
    {Text::kCausesSummaryOneStep, "{0} を分析、1 ステップ"},
    {Text::kCausesSummarySteps, "{0} を分析、{1} ステップ、中央値 {2}"},
    {Text::kCausesRanks, "{0} ランクを分析"},
    {Text::kCausesSoFar, "現時点：{0}"},
    {Text::kCausesNoFindings, "所見なし：大きく時間を失う箇所はありません。"},
    {Text::kCausesNsysRules, "Nsight Systems の規則による所見（原因は示しません）："},
    {Text::kCausesGoThere, "クリックでタイムライン上に表示"},
    {Text::kCausesPerStep, "{0}/ステップ"},
    {Text::kCausesDevice, "{0}：稼働 {1}、空き {2}"},
    {Text::kCausesBusy, "稼働"},
    {Text::kCausesPathTitle, "クリティカルパス"},
    {Text::kLegendIdle, "空き：{0}"},
    {Text::kCausesShowIdle, "空き時間"},
    {Text::kCausesShowIdleHint,
     "デバイスが空いた時間と理由をタイムラインに示します。I キーで表示を切り替えます。"},
    {Text::kCausesShowPath, "クリティカルパス"},
    {Text::kCausesShowPathHint, "実行の終わりを決めた処理の下に線を引きます。I キーで表示を切り替えます。"},
    {Text::kCausesGapsOmitted, "{0}：タイムラインは {2} 個の空きのうち長い {1} 個を示します。"},
    {Text::kCausesRule, "規則"},
    {Text::kCausesFinding, "所見"},
    {Text::kCausesCost, "コスト"},
    {Text::kCausesCostPerStep, "1 ステップのコスト"},
    {Text::kCausesHelp, "改善方法"},
    {Text::kIdleSynchronisation, "同期"},
    {Text::kIdleDataLoading, "データ読み込み"},
    {Text::kIdleOperator, "ホスト側の演算子"},
    {Text::kIdlePython, "Python"},
    {Text::kIdleAllocation, "メモリ確保"},
    {Text::kIdleHost, "ホスト、無名"},
    {Text::kIdleLaunchCall, "起動の呼び出し"},
    {Text::kIdleLaunchLatency, "起動の遅延"},
    {Text::kIdleQueued, "待機、理由不明"},
    {Text::kIdleOtherStream, "別のストリーム"},
    {Text::kIdleCopy, "コピー"},
    {Text::kIdleShort, "短い空き"},
    {Text::kIdleNoMoreWork, "後続なし"},
    {Text::kIdleUnknown, "不明"},
    {Text::kIdleLabel, "空き {0}：{1}"},
    {Text::kIdleBecause, "主な理由：{0}。"},
    {Text::kIdleNext, "次の処理"},
    {Text::kIdleNothingNext, "なし"},
    {Text::kCollectiveRanks, "ランク数"},
    {Text::kCollectiveLast, "最後に到着"},
    {Text::kCollectiveThisRank, "このランク"},
    {Text::kCollectiveUnclear, "不明：クロックの誤差より近い"},
    {Text::kCollectiveWaited, "待った時間"},
    {Text::kIdleDevice, "デバイス"},
    {Text::kPathHost, "ホスト"},
    {Text::kPathLaunch, "起動"},
    {Text::kPathKernel, "カーネル"},
    {Text::kPathCopy, "コピー"},
    {Text::kPathCommunication, "通信"},
    {Text::kPathWaiting, "待ち"},
    {Text::kPathUnknown, "不明"},
    // The script.
    {Text::kPanelScript, "スクリプト"},
    {Text::kScriptButton, "スクリプト"},
    {Text::kScriptButtonHint, "スクリプトのどの行がエンキューし、どの行が待つか（Y）"},
    {Text::kMoreViews, "その他のパネル"},
    {Text::kScriptCloseHint, "スクリプトを閉じる（Y）"},
    {Text::kScriptNone,
     "このトレースには、スクリプトの行を示すスライスがありません。`runahead python SCRIPT.py` と "
     "runahead_make_site() は行を記録します。"},
    {Text::kScriptNotHere,
     "スクリプトのテキストがこのマシンにないか、実行時のフォルダーにありません。数値のある行だけを示します"
     "。"},
    {Text::kScriptLine, "行"},
    {Text::kScriptText, "テキスト"},
    {Text::kScriptWaiting, "待ち"},
    {Text::kScriptEnqueueing, "エンキュー"},
    {Text::kScriptEnqueues, "演算"},
    {Text::kScriptWorstWait, "{0} 行目の待ちが最長：{1}（全体 {2}）"},
    {Text::kScriptWorstEnqueue, "{0} 行目のエンキューが最長：{1}（全体 {2}）"},
    {Text::kScriptLineWords, "{0} 行目：エンキュー {1} 回、{2}"},
    {Text::kScriptLineWaits, "待ち {0} 回、{1}"},
    {Text::kScriptStarts, "{0} を起動しています"},
    {Text::kScriptStopped, "{0} を停止しました。記録は別のファイルを開くまで残ります（Ctrl+S で保存）"},
    {Text::kScriptFailed, "{0} は終了コード {1} で終わりました：{2}"},
    {Text::kScriptEnded, "{0} は終了しました。記録は別のファイルを開くまで残ります（Ctrl+S で保存）"},
    {Text::kScriptRestartHint, "スクリプトを終えて最初から始める"},
    {Text::kScriptStopHint, "スクリプトを終える。トレースは残る"},
    {Text::kRunListing, "Python で実行"},
    {Text::kRunListingHint, "このレッスンの Python スクリプト {0} を実行し、各行の時間を表示する"},
    {Text::kPanelMemory, "メモリ"},
    {Text::kMemoryButton, "メモリ"},
    {Text::kMemoryButtonHint, "ピーク時や任意の時点で誰がメモリを保持しているか（K）"},
    {Text::kMemoryCloseHint, "メモリの一覧を閉じる（K）"},
    {Text::kMemoryAtPeak, "ピーク時"},
    {Text::kMemoryAtPeakHint,
     "使用中バイト数が最大の時点。タイムラインのメモリのカウンタをクリックすると別の時点を選べる"},
    {Text::kMemoryAtSelection, "選択位置"},
    {Text::kMemoryAtSelectionHint, "選択したスライスの開始時点"},
    {Text::kMemoryAtPeakSummary, "{1} にピーク {0}"},
    {Text::kMemoryAtSummary, "{1} の時点で {0}"},
    {Text::kMemoryBlocksSummary, "（{0} ブロック、{1} 種の演算）"},
    {Text::kMemoryOp, "保持する演算"},
    {Text::kMemoryCategory, "分類"},
    {Text::kMemoryBytes, "バイト"},
    {Text::kMemoryShare, "割合"},
    {Text::kMemoryBlocks, "ブロック"},
    {Text::kMemoryHeldFor, "保持時間"},
    {Text::kMemoryByCategory, "分類別"},
    {Text::kMemoryLargest, "最大のブロックと保持時間"},
    {Text::kMemoryUnknown, "不明"},
    {Text::kMemoryNoOp, "演算なし"},
    {Text::kMemoryNoCategory, "分類なし"},
    {Text::kMemoryNone,
     "デバイスのメモリを数えたものがありません。ワークロードを実行するか、その記録を開くと、誰が保持している"
     "かが分かります。"},
    {Text::kMemoryNoLifetimes,
     "この記録には、どの演算がブロックを確保したかがなく、分類だけが分かります。この版で記録し直すと分かりま"
     "す。"},
    {Text::kMemoryUnnamed,
     "うち {0} は不明なブロックが保持しています。記録の開始前に確保されたか、記録から失われたものです。"},
    {Text::kMemoryOverNamed,
     "数えた値より {0} 多く並んでいます。一部のブロックの解放が記録から失われました。"},
    {Text::kMemoryOpNotHere, "このブロックを確保した演算は、記録にないか、もう残っていません"},
    {Text::kMemoryRowHint, "クリックすると、この中で最大のブロックを確保した演算に移動します"},
    {Text::kGraphInFlight, "未完了"},
    {Text::kGraphInFlightHint,
     "エンキューされてまだ終わらない演算。タイムラインが追従中なら現在のもの、そうでなければ選択したスライス"
     "の開始"
     "時点のもの"},
    {Text::kGraphStep, "選択のステップ"},
    {Text::kGraphStepHint, "選択したスライスのステップでエンキューされた演算。選択がなければ最新のステップ"},
    {Text::kGraphFit, "全体"},
    {Text::kGraphFitHint, "全体を表示。もう一度押すと、読める大きさで表示（F、マウスがグラフ上のとき）"},
    {Text::kGraphCloseHint, "グラフを閉じる（G）"},
    {Text::kGraphAt, "未完了、時刻"},
    {Text::kGraphLatestStep, "最新のステップ"},
    {Text::kGraphDependencies, "件の依存"},
    {Text::kGraphCritical, "クリティカルパス"},
    {Text::kGraphImplied, "個の依存は順序だけを定め、描かれた依存に含まれます"},
    {Text::kGraphNothingInFlight, "未完了の演算はありません。"},
    {Text::kGraphNoStep, "ここにはステップがありません。ステップか、その中の演算を選んでください。"},
    {Text::kGraphNoDependencies, "ここには依存関係が記録されていません。"},
    {Text::kGraphState, "状態"},
    {Text::kGraphElsewhere, "表示されていない演算の後"},
    {Text::kGraphOnCritical, "クリティカルパス上"},
    {Text::kOpWaiting, "待機"},
    {Text::kOpReady, "準備完了"},
    {Text::kOpRunning, "実行中"},
    {Text::kOpFinished, "完了"},
    {Text::kOpSkipped, "省略"},
    // The legend.
    {Text::kLegendTitle, "色"},
    {Text::kLegendEnqueue, "エンキュー：フロントエンドが演算を渡す"},
    {Text::kLegendExecute, "実行：演算が動く"},
    {Text::kLegendWait, "待ち：スレッドが止められている（斜線）"},
    {Text::kLegendToDevice, "デバイスへのコピー"},
    {Text::kLegendToHost, "ホストへのコピー"},
    {Text::kLegendAllocation, "メモリ確保"},
    {Text::kLegendStep, "ワークロードの 1 ステップ"},
    {Text::kLegendPause, "一時停止中。どの速度にも含めません"},
    {Text::kLegendZone, "その他"},
    {Text::kLegendHatch, "斜線：待っている。"},
    {Text::kLegendNotch, "切り欠き：演算の終わりがモデルの時刻より遅れた。"},
    {Text::kLegendBadge, "ラベル：トラックは模擬デバイスのもの。"},
    // The debug panel.
    {Text::kDebugTitle, "デバッグ"},
    {Text::kFramePart, "部分"},
    {Text::kLastMs, "直近, ms"},
    {Text::kMedianMs, "中央値"},
    {Text::kP99Ms, "p99"},
    {Text::kPartPoll, "取り込み"},
    {Text::kPartBuild, "構築"},
    {Text::kPartPaint, "描画"},
    {Text::kPartTotal, "フレーム全体"},
    {Text::kFrames, "フレーム"},
    {Text::kRunsDrawn, "描いた区間"},
    {Text::kRowsDrawn, "行"},
    {Text::kColumnsDrawn, "カウンタの列"},
    {Text::kFiguresCost, "裏での集計"},
    {Text::kCapture, "取得"},
    {Text::kEvents, "イベント"},
    {Text::kSlices, "スライス"},
    {Text::kThreads, "スレッド"},
    {Text::kFullestBuffer, "最も満ちたバッファ"},
    {Text::kDrain, "収集"},
    {Text::kLongest, "最長"},
    {Text::kLostEvents, "失われたイベント"},
    {Text::kTraceSize, "メモリ上のトレース"},
    {Text::kLoadedFromFile, "ファイルから読込"},
    // The timeline: labels, tooltips, facts.
    {Text::kTimelineSimulated, "模擬"},
    {Text::kTimelineHeldByLimit, "上限で停止"},
    {Text::kTimelineHeldBy, "{0} で停止"},
    {Text::kTimelineOp, "演算"},
    {Text::kTimelineMin, "最小"},
    {Text::kTimelineMax, "最大"},
    {Text::kTimelinePeak, "ピーク"},
    {Text::kTimelineLanes, "レーン"},
    {Text::kTimelineOf, "{0} / {1}"},
    {Text::kTimelineSlices, "スライス"},
    {Text::kTimelineFound, "{0} 件が一致"},
    {Text::kTimelineNothingFound, "検索した語を名前に含むトラックはありません。"},
    {Text::kTimelineClickToShow, "クリックで開閉。"},
    {Text::kTimelineWaitPoint, "待機点：wait_to_read などのバリアはここで待つ"},
    {Text::kTimelineValue, "値"},
    {Text::kTimelineName, "名前"},
    {Text::kTimelineKind, "種類"},
    {Text::kTimelineTrack, "トラック"},
    {Text::kTimelineBegins, "開始"},
    {Text::kTimelineDuration, "長さ"},
    {Text::kTimelineStillRunning, "（継続中）"},
    {Text::kTimelineBytes, "バイト"},
    {Text::kTimelineRate, "速度"},
    {Text::kTimelineOpNumber, "演算"},
    {Text::kTimelineStep, "ステップ"},
    {Text::kTimelineEnqueued, "エンキュー"},
    {Text::kTimelineReady, "準備完了"},
    {Text::kTimelineStarted, "実行開始"},
    {Text::kTimelineEnded, "終了"},
    {Text::kTimelineNotYet, "まだ"},
    {Text::kTimelineOutput, "出力"},
    {Text::kTimelineWaitedFor, "待った対象"},
    {Text::kTimelineWaitsFor, "待つ対象"},
    {Text::kTimelineNote, "備考"},
    {Text::kTimelineLate, "遅延：モデル上の終了より後に値が得られた"},
    {Text::kTimelineFailed, "失敗"},
    {Text::kTimelineSkipped, "省略：前の演算が失敗した"},
    {Text::kTimelineUnfinished, "終わりが見えなかった"},
    {Text::kTimelineHeldNote, "バリアではなく、安全上限で止められた"},
    // Why it waited.
    {Text::kWaitOneOpBefore, "とその前の 1 演算"},
    {Text::kWaitOpsBefore, "とその前の {0} 演算"},
    {Text::kWaitOpsBeforeOrMore, "とその前の {0} 演算以上"},
    {Text::kWaitMostOfIt, "最も長いもの"},
    {Text::kWaitExecuting, "実行"},
    {Text::kWaitCopying, "コピー"},
    {Text::kWaitQueueing, "順番待ち"},
    {Text::kWaitDispatch, "ディスパッチ"},
    {Text::kWaitEnqueue, "エンキュー"},
    {Text::kWaitWakeUp, "ウェイクアップ"},
    {Text::kWaitFinished, "すでに完了"},
    {Text::kWaitLimit, "安全上限"},
    {Text::kWaitOther, "不明"},
    {Text::kKindZone, "ゾーン"},
    {Text::kKindEnqueue, "エンキュー"},
    {Text::kKindExecute, "実行"},
    {Text::kKindWait, "待ち"},
    {Text::kKindCopyToDevice, "デバイスへコピー"},
    {Text::kKindCopy, "コピー"},
    {Text::kKindCopyToHost, "ホストへコピー"},
    {Text::kKindCopyOnDevice, "デバイス内コピー"},
    {Text::kKindAllocation, "メモリ確保"},
    {Text::kKindStep, "ステップ"},
    {Text::kKindPause, "一時停止"},
    // Tracks: pinned, moved, hidden.
    {Text::kTrackMenuHint, "メニュー：固定・移動・非表示（右クリックも可）。名前をドラッグすると移動。"},
    {Text::kTrackPin, "上に固定"},
    {Text::kTrackUnpin, "固定を解除"},
    {Text::kSliceZoom, "このスライスに拡大"},
    {Text::kSliceFindAll, "同じ名前をすべて検索"},
    {Text::kSliceMeasure, "このスライスの時間を測定"},
    {Text::kSliceCopyName, "名前をコピー"},
    {Text::kKeyScroll, "時間方向に移動；トラックをスクロール"},
    {Text::kTimelineMore, "ほか {0} 行"},
    {Text::kTimelineEmpty, "空 {0} 行"},
    {Text::kTrackFitView, "表示範囲に合わせて拡大"},
    {Text::kTrackFitWhole, "トレース全体の尺度に戻す"},
    {Text::kTrackFitHint, "このカウンターの尺度を表示範囲に合わせます。もう一度押すとトレース全体に戻ります"},
    {Text::kTrackUp, "上へ移動"},
    {Text::kTrackDown, "下へ移動"},
    {Text::kTrackHide, "隠す"},
    {Text::kTrackShowOnly, "これだけを表示"},
    {Text::kTrackFoldAll, "すべてのグループを畳む"},
    {Text::kTrackUnfoldAll, "すべてのグループを開く"},
    {Text::kTrackHidden, "{0} 件非表示 \u2013 表示"},
    {Text::kTrackHiddenHint, "隠したトラックとグループ。クリックして再表示するものを選ぶ"},
    // Flows, step by step.
    {Text::kFlowsDirect, "矢印 {0} 本：直接のつながり"},
    {Text::kFlowsSteps, "矢印 {0} 本、連鎖を {1} 段まで"},
    {Text::kFlowsOmitted, "ほかに {0} 本の矢印は描いていません。先のスライスを選んでください"},
    {Text::kFlowsMore, "もう一段"},
    {Text::kFlowsMoreHint, "矢印の先のつながりと依存関係を、より淡く（+）"},
    {Text::kFlowsLess, "直接だけ"},
    // Colours.
    {Text::kColourBy, "色分け"},
    {Text::kColourByHint, "スライスの色が表すもの（O）"},
    {Text::kColourByKind, "種類"},
    {Text::kColourByName, "名前"},
    {Text::kColourByStep, "ステップ"},
    {Text::kLegendButtonHint, "色の意味：種類・名前・ステップ別（L、O）"},
    {Text::kLegendOnDevice, "デバイス内のコピー"},
    {Text::kLegendLate, "遅れ"},
    {Text::kLegendStepNumber, "ステップ {0}"},
    {Text::kLegendOfNoStep, "ステップなし"},
    {Text::kLegendLeftOut, "ほか {0} 件"},
    {Text::kLegendNamesShare, "12 色：名前が色を共有"},
    {Text::kLegendStepsShare, "12 色：12 ステップごとに同じ色"},
    {Text::kLegendCloseHint, "凡例を閉じる（L）"},
    {Text::kPanelCompare, "比較"},
    {Text::kCompareButton, "比較"},
    {Text::kCompareButtonHint, "2 つの記録、2 つの範囲、またはバリアの変更の前後を並べて比べる（C）"},
    {Text::kCompareOpenTitle, "比較する記録を開く"},
    {Text::kCompareOpen, "比較"},
    {Text::kCompareOpenDots, "記録を選ぶ…"},
    {Text::kCompareChange, "変更の前後"},
    {Text::kCompareChangeHint, "A はバリアの変更の前、B は後"},
    {Text::kCompareRanges, "2 つの範囲"},
    {Text::kCompareRangesHint, "A と B はこのトレースの 2 つの範囲"},
    {Text::kCompareRecording, "別の記録"},
    {Text::kCompareRecordingHint, "A はこのトレース、B は別の記録"},
    {Text::kCompareSetHint, "測定範囲（Shift を押しながらドラッグ、またはスライスで M）を使う。なければ全体"},
    {Text::kCompareAll, "全体"},
    {Text::kCompareNotSet, "未設定"},
    {Text::kCompareAtTime, "時刻"},
    {Text::kCompareNoChange,
     "このトレースではバリアの切り替えがありません。実行してバリアを切り替えるか、2 "
     "つの範囲または別の記録と比べてください。"},
    {Text::kCompareNoRanges,
     "範囲を測定（Shift を押しながらドラッグ）して A を押し、別の範囲を測定して B を押してください。"},
    {Text::kCompareNoRecording, "このトレースと比べる記録を選んでください。"},
    {Text::kCompareNothingThere, "一方に何も含まれていません。"},
    {Text::kCompareNothingRecorded, "まだ何も記録されていません。「実行」を押すか、記録を開いてください。"},
    {Text::kCompareWorking, "比較中"},
    {Text::kCompareAlign, "揃える"},
    {Text::kCompareAlignHint, "両方のタイムラインを、それぞれの範囲の先頭から表示する"},
    {Text::kCompareLink, "連動"},
    {Text::kCompareLinkHint, "一方のタイムラインを拡大・移動すると、もう一方も動く"},
    {Text::kCompareFilter, "名前で絞り込む"},
    {Text::kComparePerStep, "1 ステップあたり"},
    {Text::kComparePerSecond, "1 秒あたり"},
    {Text::kCompareRecordedTotals, "記録のまま"},
    {Text::kComparePerHint, "合計と回数の単位：1 ステップあたり、範囲の 1 秒あたり、または記録のまま"},
    {Text::kCompareCloseHint, "比較を終え、もう一方の記録を閉じる（C）"},
    {Text::kCompareOnlyInA, "A のみ"},
    {Text::kCompareOnlyInB, "B のみ"},
    {Text::kCompareZeroInA, "A は 0"},
    {Text::kCompareZeroInBoth, "両方 0"},
    {Text::kCompareLost, "欠落："},
    {Text::kCompareFigure, "項目"},
    {Text::kCompareDuration, "長さ"},
    {Text::kCompareStepsPerS, "ステップ"},
    {Text::kCompareOpsPerS, "演算"},
    {Text::kCompareBlocked, "フロントエンドの待ち時間"},
    {Text::kCompareDeviceBusy, "稼働"},
    {Text::kCompareOverlap, "計算中のコピー"},
    {Text::kCompareCopied, "コピー量"},
    {Text::kCompareCopyRate, "コピー速度"},
    {Text::kComparePeakMemory, "ピークメモリ"},
    {Text::kCompareMedianRunAheadSteps, "先行ステップ、中央値"},
    {Text::kCompareMaxRunAheadSteps, "先行ステップ、最大"},
    {Text::kCompareMedianRunAheadOps, "先行演算数、中央値"},
    {Text::kCompareMaxRunAheadOps, "先行演算数、最大"},
    {Text::kCompareBarHint,
     "棒は、A と B それぞれのスライスに占める割合です。クリックするとそのスライスへ移ります。"},
    {Text::kKeyCompare, "比較：2 つの記録、2 つの範囲、変更の前後"},
    {Text::kKeyMemory, "メモリ：ピーク時に誰が保持しているか"},
    {Text::kKeyCauses, "原因：時間を失った理由、タイムライン上の印"},
});
static_assert(each_once(kTexts), "japanese: a text is there twice, or not in the order of enum Text");

constexpr auto kSentences = std::to_array<SentenceEntry>({
    // Workload training_memory.
    {"Training memory", "学習時のメモリ"},
    {"A wait in every batch: what does it cost, and what does it save?",
     "バッチごとに待つと、何を失い、何を節約できるか。"},
    {"Without a barrier live bytes grow with the run-ahead, and the devices are never idle. With a barrier "
     "memory holds about one batch, and batch t + 1 is not prepared while batch t is computed.",
     "バリアがなければ、先行が増えるにつれて live "
     "のバイト数も増え、デバイスは休みなく動く。バリアがあれば、メモリはおよそ 1 バッチ分で済むが、バッチ t "
     "の計算中にバッチ t + 1 は準備されない。"},
    {"Batch size", "バッチサイズ"},
    {"Features", "特徴量の数"},
    {"Units, layer 1", "第 1 層のユニット"},
    {"Units, layer 2", "第 2 層のユニット"},
    {"Hidden units", "隠れユニット"},
    {"Outputs", "出力の数"},
    {"Place of wait", "待つ場所"},
    {"Loading, \u00b5s", "読み込み (\u00b5s)"},
    {"Pageable memory", "ページ可能メモリ"},
    {"Rows", "行数"},
    {"Columns", "列数"},
    {"Matrix size", "行列のサイズ"},
    {"Second matrix", "2 つ目の行列"},
    {"Inner size", "内側のサイズ"},
    {"Increments", "加算の回数"},
    {"Other products", "ほかの積"},
    {"Block, MiB", "ブロック (MiB)"},
    {"Random reads", "ランダム読み出し"},
    {"Copy, KiB", "コピー (KiB)"},
    {"Passes per step", "ステップの順伝播"},
    {"Sum in a ring", "リングで合計"},
    {"Sum early", "早めに合計"},
    {"Steps in a run", "実行のステップ数"},
    {"Random seed", "乱数シード"},
    {"Cost per op, \u00b5s", "演算ごと (\u00b5s)"},
    {"Rows of a batch", "バッチの行数"},
    {"Columns of a batch", "バッチの列数"},
    {"Units of the first hidden layer", "第 1 隠れ層のユニット数"},
    {"Units of the second hidden layer", "第 2 隠れ層のユニット数"},
    {"Learning rate", "学習率"},
    {"0: waits for the loss, before backward; 1: for the loss, at the step's end; 2: for the update, at the "
     "step's end",
     "0：逆伝播の前に損失を待つ、1：ステップの最後に損失を待つ、2：ステップの最後にパラメータの更新を待つ"},
    {"The frontend's own work per batch, before it enqueues the batch, in us",
     "エンキューを始める前に、フロントエンド自身がバッチの準備に使う時間（us）"},
    {"1: batches go to the device from host memory that is not pinned",
     "1：バッチはピン留めされていないホストメモリからデバイスへ送られる"},
    {"Batches", "バッチ数"},
    {"Seed of the random numbers", "乱数のシード"},
    {"Cost per op of the frontend's language (such as Python), in us",
     "フロントエンドの言語が演算 1 つごとに要する時間（us）。たとえば Python のもの"},
    {"Time until the loop returns, 50 batches", "ループが戻るまでの時間、50 バッチ"},
    {"without a wait", "待たない"},
    {"Needs a run with barrier none.", "バリア none の実行による値。"},
    {"with a wait each", "毎回待つ"},
    {"Needs a run with a wait in every step, such as barrier wait_to_read.",
     "wait_to_read など、毎ステップ待つバリアの実行による値。"},
    {"Growth of memory", "メモリの増加"},
    {"There is no matching figure here: the article printed the memory in use, not the growth. The strip "
     "shows the growth.",
     "ここに対応する値はない。原典は増加量ではなく使用中のメモリを表示していた。増加量は下の比較欄にある。"},
    {"Time by a stopwatch around the loop, and true time", "時間：ループを測るストップウォッチと実際"},
    {"loop", "ループ"},
    {"true", "実際"},
    {"All steps", "全ステップ"},
    {"The loop returns when all ops are enqueued. Without a wait that is long before the ops are done. The "
     "work itself is not shorter.",
     "ループはすべてをエンキューすると戻る。待たなければ、それは処理が終わるよりずっと前である。処理そのもの"
     "は短くならない。"},
    {"Memory of the devices", "デバイスのメモリ"},
    {"growth", "増加量"},
    {"The peak of live bytes, minus the parameters", "live の最大値からパラメータの分を引いたもの"},
    {"growth over a step's memory", "1 ステップの確保量との比"},
    {"If each step finishes before the next is enqueued, this is at most 1",
     "次のステップをエンキューする前にステップが終われば、1 以下で足りる"},
    {"memory of a step", "1 ステップの確保量"},
    {"live at the end", "終了時の live"},
    {"reserved by the pool at the end", "終了時にプールが保持"},
    {"Free for this program's next run, but not returned to the system",
     "このプログラムの次の実行に使えるが、システムには返されていない"},
    {"Memory of the process", "プロセスのメモリ"},
    {"before the run", "実行前"},
    {"Some articles print this as the increase, but it is the memory in use",
     "これを表示すると、使用中のメモリを増加量と呼ぶことになる"},
    {"true increase", "実際の増加量"},
    {"The kernel's value when the loop returned. It counts neither pages that an earlier run left in the "
     "pool nor pages that were not touched yet.",
     "ループが戻ったときのカーネルの値。以前の実行がプールに残したページと、まだ触れられていないページは含ま"
     "ない"},
    {"Loss", "損失"},
    {"of the first batch", "最初のバッチ"},
    {"of the last batch", "最後のバッチ"},
    // Workload dependency_graph.
    {"Dependency graph", "依存関係グラフ"},
    {"Which of the four operations must wait for another, and who determines this?",
     "4 つの演算のうち、ほかを待たなければならないのはどれで、それを誰が見つけるのか。"},
    {"x and y do not depend on each other, so two workers make them at the same time. z = x * y + 2 needs "
     "both. Only print makes the frontend wait. Key G draws the graph.",
     "x と y は互いに依存せず、2 つのワーカーが同時に作る。z = x * y + 2 "
     "は両方を必要とする。フロントエンドを待たせるのは print "
     "だけである。グラフは G キーで描ける。"},
    {"Rows of x and y", "x と y の行数"},
    {"Columns of x and y", "x と y の列数"},
    {"How many times the graph is built", "グラフを組み立てる回数"},
    {"What is printed", "表示されるもの"},
    {"z", "z"},
    {"Printed", "表示"},
    {"z = x y + 2", "z = x y + 2"},
    // Workload warmup.
    {"Asynchrony: warming up", "非同期：ウォームアップ"},
    {"The same ten products take a thousandth of the time on the engine. Where did the work go?",
     "同じ 10 回の行列積が、エンジンでは千分の一の時間で済む。仕事はどこへ行ったのか。"},
    {"Direct calls fill the frontend's track. Enqueues are thin slices, and the stopwatch around them stops "
     "before the device has done most of the work. The work is on another track. With waitall the stopwatch "
     "measures the work.",
     "直接呼び出すと、フロントエンドのトラックが埋まる。エンキューは細いスライスで、それを測るストップウォッ"
     "チは、デバイスが本格的に動き出す前に止まっている。仕事は別のトラックにある。waitall "
     "を付ければ、ストップウォッチは仕事を測る。"},
    {"Rows and columns of a", "a の行数と列数"},
    {"Products in each of the three runs", "3 通りの実行それぞれの行列積の回数"},
    {"10 x 1000 x 1000", "10 x 1000 x 1000"},
    {"enqueues alone", "エンキューのみ"},
    {"with the wait", "待ちを含む"},
    {"direct calls", "直接呼び出し"},
    {"All products: stopwatch and true time", "全行列積：ストップウォッチと実際"},
    {"stopwatch", "ストップウォッチ"},
    {"enqueued, no wait", "エンキュー、待たない"},
    {"The stopwatch stops when the last enqueue has returned. The true time ends with the last product.",
     "ストップウォッチは最後のエンキューが戻ると止まる。実際の時間は最後の行列積で終わる"},
    {"enqueued, then waitall", "エンキュー後に waitall"},
    {"called directly", "直接呼び出し"},
    {"The same products on the calling thread, without an engine",
     "同じ行列積を、エンジンを使わず、呼び出したスレッドで行う"},
    {"no wait, as arithmetic", "待たない場合の演算性能"},
    {"The rate that the device would need. A rate above the device's own shows that the stopwatch stopped at "
     "the enqueue.",
     "デバイスに必要となる性能。能力を超えた値は、ストップウォッチがエンキューで止まったことを示す"},
    {"Check", "検算"},
    {"largest difference from the direct product", "直接の行列積との最大差"},
    // Workload queue_vs_finish.
    {"Queued is not finished", "エンキューと完了は違う"},
    {"The product of two 4000 x 4000 matrices in a millisecond: what did the stopwatch measure?",
     "4000 x 4000 の行列積が 1 ミリ秒。ストップウォッチは何を測ったのか。"},
    {"The frontend has three thin slices, then a long slice named print. Print is not slow: it waits for the "
     "product, which began when the product was enqueued.",
     "フロントエンドに細いスライスが 3 つ、続いて print という長いスライスが 1 つ。print "
     "が遅いのではない。エンキューされたときに始まった行列積を待っている。"},
    {"Rows and columns of x", "x の行数と列数"},
    {"Repetitions; medians are reported", "繰り返し回数。中央値を報告する"},
    {"4000 x 4000", "4000 x 4000"},
    {"queued", "エンキューまで"},
    {"finished", "完了まで"},
    {"y = sum(x x): stopwatch and true time", "y = sum(x x)：ストップウォッチと実際"},
    {"time", "時間"},
    {"Read when the enqueues have returned, and again when y is on the terminal",
     "エンキューが戻ったときと、y が端末に出たときに読む"},
    {"as arithmetic", "演算性能として"},
    {"The rate that the device would need", "デバイスに必要となる性能"},
    {"y", "y"},
    // Workload increment.
    {"Increment", "インクリメント"},
    {"Ten thousand additions: what does a wait after each cost, and where does the time go?",
     "1 万回の加算。毎回待つと何を失い、時間はどこへ行くのか。"},
    {"With a wait after each addition, frontend and worker take turns. Without waits both are busy, and the "
     "slower of the two sets the time.",
     "毎回待つと、フロントエンドとワーカーが交互に働く。待たなければ両方が働き続け、遅いほうが全体を決める"
     "。"},
    {"Rows of x", "x の行数"},
    {"Columns of x", "x の列数"},
    {"Increments of one step", "1 ステップのインクリメント回数"},
    {"Steps of each half, which makes steps x iterations increments",
     "前半と後半それぞれのステップ数。インクリメントは ステップ数 x iterations 回"},
    {"Needs a run with a small array: rows=1, columns=2.", "小さな配列の実行による値：rows=1、columns=2。"},
    {"10,000 times, x of 1 x 2", "10,000 回、x は 1 x 2"},
    {"one wait at the end", "最後に 1 回待つ"},
    {"a wait after each", "毎回待つ"},
    {"The same, another article", "同上、別の資料"},
    {"1000 times, x of 2000 x 2000", "1000 回、x は 2000 x 2000"},
    {"Needs a run with a large array: rows=2000, columns=2000.",
     "大きな配列の実行による値：rows=2000, columns=2000。"},
    {"One increment", "1 回のインクリメント"},
    {"with a wait after each", "毎回待つ"},
    {"with one wait at the end", "最後に 1 回待つ"},
    {"the second over the first", "後者と前者の比"},
    {"Above 1 the run without waits is slower, for example with a slow frontend or more threads than cores.",
     "1 "
     "を超えると、待たない実行のほうが遅い。フロントエンドが遅い場合や、スレッドがコアより多い場合などである"
     "。"},
    {"All n increments, predicted and measured", "n 回すべて、予測と実測"},
    {"formula", "式"},
    {"measured", "実測"},
    {"n (t1 + t2 + t3), with waits", "n (t1 + t2 + t3)、待つ"},
    {"t1 + n t2 + t3, without", "t1 + n t2 + t3、待たない"},
    {"Holds if n t2 > (n-1) t1", "n t2 > (n-1) t1 のとき成り立つ"},
    {"n max(t1, t2), without", "n max(t1, t2)、待たない"},
    {"Holds in both cases, except at the start and end of the run",
     "実行の両端を除き、どちらの場合も成り立つ"},
    {"n (t1 + t2 + t3), from the trace", "n (t1 + t2 + t3)、トレースから"},
    {"From the mean times in the trace; n (t1 + t2 + t3) is the total time of the round trips",
     "平均値による。n (t1 + t2 + t3) はその往復にかかった時間そのもの"},
    {"t1 + n t2 + t3, from the trace", "t1 + n t2 + t3、トレースから"},
    {"The trace's t2 is the execution alone, without the worker's time between two ops",
     "この t2 は実行だけで、2 つの間にワーカーがすることは含まない"},
    {"n max(t1, t2), from the trace", "n max(t1, t2)、トレースから"},
    {"Where the time goes", "時間の内訳"},
    {"trace", "トレース"},
    {"t1, to enqueue it", "t1、エンキュー"},
    {"The frontend's time per increment while it does not wait",
     "待たないとき、フロントエンドがインクリメント 1 回に使う時間"},
    {"t2, to execute it", "t2、実行"},
    {"Measured on a queue of increments that nothing else delays",
     "たまった演算を、妨げなしに片づけていくときの値"},
    {"t3, to report back", "t3、完了の通知"},
    {"The rest of a round trip, until a waiting frontend goes on",
     "往復の残り。待っていたフロントエンドが先へ進むまで"},
    {"part of t3, to wake the frontend", "t3 のうち、フロントエンドを起こす時間"},
    {"From an increment's end to the end of the wait for it",
     "インクリメントの終わりから、それを待つ処理の終わりまで"},
    {"the slower of t1 and t2", "t1 と t2 の遅いほう"},
    {"the frontend is the bottleneck", "フロントエンドがボトルネック"},
    {"Yes if n t2 > (n-1) t1 is false", "n t2 > (n-1) t1 が成り立たないとき、そうなる"},
    // Workload barriers.
    {"Barriers and blockers", "バリアとブロッカー"},
    {"Five ways to wait for the same product: which waits for more than it needs?",
     "同じ行列積を待つ 5 つの方法。必要以上に待つのはどれか。"},
    {"Alone, all ways wait for the same product. With unrelated work behind it, waitall waits for that work "
     "too. item and asnumpy add their own copy.",
     "単独なら待つものは同じである。後ろに無関係な仕事があると、waitall はそれも待ち、item と asnumpy "
     "には自身のコピーが加わる。"},
    {"Unrelated products behind the product that is waited for", "待つ対象の後ろに並ぶ、無関係な行列積の数"},
    {"Rounds of measurements; medians are reported", "測定の回数。中央値を報告する"},
    {"1000 x 1000", "1000 x 1000"},
    {"wait_to_read", "wait_to_read"},
    {"waitall", "waitall"},
    {"asnumpy", "asnumpy"},
    {"item", "item"},
    {"waitall for two products", "waitall、行列積 2 つ"},
    {"Needs a run with unrelated=1.", "unrelated=1 の実行による値。"},
    {"norm().asscalar()", "norm().asscalar()"},
    {"From the enqueue of a product to the end of the wait", "行列積のエンキューから、待ちが解けるまで"},
    {"alone", "単独"},
    {"+ unrelated", "＋無関係"},
    {"Waits for the unrelated work too", "無関係な仕事も待つ"},
    {"Waits, then copies the values", "待ってから値をコピーする"},
    {"print", "print"},
    // Workload inference_memory.
    {"Inference memory", "推論時のメモリ"},
    {"Sixty batches are predicted and their results dropped: why does memory grow, and by how much?",
     "60 バッチを予測しては捨てる。なぜメモリは増え、どれだけ増えるのか。"},
    {"Without a wait, every op that is enqueued and not finished adds to the live bytes. With memory "
     "allocated at execution (--alloc execute) and ready order \"first ready\", the growth is the queued "
     "inputs. With \"oldest first\" there is almost no growth. With a wait per batch the growth is one "
     "batch.",
     "待たなければ、エンキューされてまだ終わらない演算の分だけ live "
     "のバイト数が増える。実行時に確保し（--alloc "
     "execute）、準備できた順に実行すると、増えるのは待ち行列の入力である。古い順ならほとんど増えない。バッチ"
     "ごとに待てば 1 バッチ分である。"},
    {"Units of the hidden layer", "隠れ層のユニット数"},
    {"Growth of memory, 60 batches", "メモリの増加、60 バッチ"},
    {"Growth relative to the inputs", "入力の大きさとの比"},
    {"Memory of all batches, and live at the peak", "全バッチのメモリと、ピーク時の live"},
    {"all batches", "全バッチ"},
    {"at the peak", "ピーク時"},
    {"inputs", "入力"},
    {"Inputs wait for nothing, so with ready order \"first ready\" they are made first",
     "何も待たないので、準備できた順では最初に作られる"},
    {"outputs of all ops, with inputs", "全演算の出力（入力を含む）"},
    {"The peak, predicted and measured", "ピーク、予測と実測"},
    {"predicted", "予測"},
    {"with memory allocated at enqueue", "エンキュー時に確保する場合"},
    {"Upper bound under this barrier. With --alloc execute the peak is lower.",
     "このバリアでの上限。--alloc execute ならこれを下回る"},
    {"mean of the last batch's predictions", "最後のバッチの予測の平均"},
    // Workload overlap.
    {"Compute and copy", "計算とコピー"},
    {"Copying results back takes as long as computing them. Must one of the two wait for the other?",
     "結果のコピーには計算と同じだけ時間がかかる。片方はもう片方を待たなければならないのか。"},
    {"When products and copies run one after the other, only one track is busy at a time. Together, both "
     "tracks are busy, and the run takes little more than the longer part. With pageable memory the copies "
     "are slower. With a wait in each step nothing overlaps.",
     "順に行うと、一度に 1 "
     "つのトラックだけが働く。同時なら両方が働き、全体は長いほうより少し長いだけで済む。ページング可能なメモ"
     "リではコピーが遅い。毎ステップ待つと何も重ならない。"},
    {"Rows and columns of each result", "各結果の行数と列数"},
    {"Inner extent of each product", "各行列積の内側の次元"},
    {"1: the host's memory is not pinned", "1：ホストのメモリはピン留めされない"},
    {"Number of products, and of copies", "行列積とコピーの回数"},
    {"The newest build", "最新のビルド"},
    {"one after the other", "順番に実行"},
    {"together", "同時"},
    {"An older build", "以前のビルド"},
    {"One after the other, and together", "別々と同時"},
    {"products alone", "行列積のみ"},
    {"copies alone", "コピーのみ"},
    {"hidden share of the shorter", "短いほうの隠れた割合"},
    {"100 %: together they take no longer than the longer part alone",
     "100 %：同時でも、長いほう単独より長くかからない"},
    {"upper bound for this many steps", "このステップ数での上限"},
    {"The first product and the last copy overlap with nothing",
     "最初の行列積と最後のコピーには相手がいない"},
    {"Copies", "コピー"},
    {"copy rate", "転送速度"},
    {"A rate above that of the link means that nothing was copied from the device: the arrays were on the "
     "cpu",
     "リンクの能力を超える場合、デバイスからは何もコピーされていない。配列は cpu にあった"},
    {"equal to the cpu's results", "cpu の計算と一致"},
    // Workload hidden_waits.
    {"Hidden waits", "隠れた待ち"},
    {"A loop copies batches to a device, computes, and copies back. No line of it is called a wait. Which "
     "line stops all three streams?",
     "ループがバッチをデバイスにコピーし、計算し、コピーで戻す。「待つ」という名前の行はない。3 "
     "つのストリームをすべて止めるのはどの行か。"},
    {"While nothing is read, the copies of one batch run during the computation of another. With item() or "
     "asnumpy() in the loop, the frontend waits for each batch, and the streams are idle around each wait. "
     "The same numbers, read two batches later, cost almost nothing.",
     "何も読まなければ、あるバッチのコピーは別のバッチの計算中に進む。ループに item() や asnumpy() "
     "があると、フロントエンドはバッチごとに待ち、待ちの前後でストリームが空く。同じ数を 2 "
     "バッチ後に読めば、ほとんど時間はかからない。"},
    {"50 batches", "50 バッチ"},
    {"a number read from each batch", "バッチごとに数を読む"},
    {"nothing read, at the end of the loop", "何も読まない、ループの終わりに"},
    {"Time of a batch", "1 バッチの時間"},
    {"nothing is read", "何も読まない"},
    {"item() of each loss", "損失ごとに item()"},
    {"asnumpy() of each result", "結果ごとに asnumpy()"},
    {"print of every tenth loss", "10 回ごとに損失を表示"},
    {"item() two batches later", "2 バッチ後に item()"},
    {"The device already works on the next batches while the frontend waits",
     "フロントエンドが待つ間、デバイスはもう次のバッチを計算している"},
    {"nothing is read, when the loop has returned", "何も読まない、ループが戻った時点"},
    {"A stopwatch around the loop measures the enqueues", "ループを測るストップウォッチが測るのはエンキュー"},
    {"What reading costs", "読むことの代償"},
    {"item() of each loss, over nothing", "損失ごとの item() は、読まない場合の"},
    {"two batches later, over nothing", "2 バッチ後なら、読まない場合の"},
    {"late losses equal the others", "遅れて読んだ損失は同じ"},
    {"Code size", "符号の大きさ"},
    {"Columns of an encoded batch", "符号化したバッチの列数"},
    {"Batches of each part", "各部分のバッチ数"},
    {"Fifty batches: losses read at once, late, or not at all",
     "50 バッチ：損失をすぐ読む、遅れて読む、読まない"},
    {"The loop reads the loss of each batch with item(). How many times longer does a batch take than in a "
     "loop that reads nothing?",
     "ループがバッチごとに損失を item() で読む。何も読まないループに比べ、1 バッチの時間は何倍になるか。"},
    {"Now each loss is read two batches later. Compared with reading nothing, a batch takes",
     "今度は各損失を 2 バッチ後に読む。何も読まない場合に比べ、1 バッチの時間は"},
    {"as long, or nearly", "同じか、ほぼ同じ"},
    {"clearly longer", "明らかに長い"},
    {"about as long as with item() at once", "すぐに item() を呼ぶ場合とほぼ同じ"},
    {"A batch takes {batch} if nothing is read, and {item} if its loss is read with item(): {ratio}. item() "
     "waits for the copy and the computation of this batch. During this time the frontend enqueues nothing, "
     "so the streams run out of work. asnumpy() of the result takes {numpy} per batch. A print of every "
     "tenth loss takes {print}.",
     "1 バッチは、何も読まなければ {batch}、損失を item() で読むと {item} かかる：{ratio}。item() "
     "はこのバッチのコピーと計算を待つ。その間フロントエンドは何もエンキューしないので、ストリームの仕事が尽"
     "きる。結果の asnumpy() は 1 バッチあたり {numpy}、10 回ごとの損失の表示では {print} である。"},
    {"Read two batches later, the same losses cost little: {late} per batch. The wait is still in the "
     "program, but the device works on the next batches meanwhile.",
     "同じ損失を 2 バッチ後に読めば、代償は小さい：1 バッチあたり "
     "{late}。待ちはプログラムに残るが、その間デバイスは次のバッチを計算する。"},
    {"A stopwatch around the loop that reads nothing shows {loop} per batch: it measures the enqueues. "
     "Published, for training: 3.95 s for 50 batches with a wait for each. Without waits the loop returns "
     "after 0.10 s.",
     "何も読まないループを測ると、1 バッチあたり {loop} "
     "と出る。測っているのはエンキューである。公表値（学習）：バッチごとに待つと 50 バッチで 3.95 "
     "秒。待たなければループは 0.10 秒で戻る。"},
    // Workload auto_parallel.
    {"Two devices at once", "2 つのデバイスを同時に"},
    {"One frontend enqueues work for two devices: which line says that they run side by side?",
     "1 つのフロントエンドが 2 つのデバイスにエンキューする。並列に動くと書いてあるのはどの行か。"},
    {"Alone, the compute track of one device is busy and the other track is empty. Together, both tracks are "
     "busy, and the run takes as long as the slower device. A wait after each product removes the gain.",
     "単独では、一方のデバイスの計算トラックが埋まり、もう一方は空である。同時なら両方が埋まり、全体は遅いほ"
     "うの時間で済む。行列積のたびに待つと、この利得は消える。"},
    {"Rows and columns of the first device's matrix", "1 番目のデバイスの行列の行数と列数"},
    {"Rows and columns of the second device's matrix; 0: same as the first",
     "…2 番目のデバイスの行列。0：同じ"},
    {"Products on each device", "各デバイスの行列積の回数"},
    {"Two GPUs, 50 products each", "GPU 2 台、各 50 回の行列積"},
    {"the slower alone", "遅いほう単独"},
    {"Needs a run on two devices besides the cpu, with products of one size.",
     "cpu のほかに 2 つのデバイスを使い、積の大きさが同じ実行による値。"},
    {"both at once", "両方同時"},
    {"CPU and GPU, 10 products each", "CPU と GPU、各 10 回の行列積"},
    {"Needs a run on the cpu and another device.", "cpu ともう 1 つのデバイスを使った実行による値。"},
    {"Alone and together", "単独と同時"},
    {"the first alone", "1 番目のみ"},
    {"the second alone", "2 番目のみ"},
    {"the slower of the two", "2 つのうち遅いほう"},
    {"Both at once cannot take less time", "同時でもこれより短くはならない"},
    {"100 %: both at once take no longer than the slower alone",
     "100 %：両方同時でも、遅いほう単独より長くかからない"},
    {"Both at once, by three stopwatches", "両方同時を 3 つのストップウォッチで"},
    {"stopped at the enqueue", "エンキューで停止"},
    {"after a wait for the first device", "1 番目のデバイスを待った後"},
    {"A synchronize() covers the current device alone", "synchronize() の対象は現在のデバイスだけである"},
    {"after a wait for both (true time)", "両方を待った後：実際"},
    {"arithmetic rate by the stopwatch", "エンキューから求めた性能"},
    {"A rate above that of the devices shows that the stopwatch stopped too early",
     "デバイスの能力を超えている。ストップウォッチが早く止まりすぎたことを示す"},
    {"true arithmetic rate", "実際の性能"},
    {"largest relative error", "最大の相対誤差"},
    // Workload memory_hierarchy.
    {"Memory hierarchy", "メモリ階層"},
    {"Reading a byte: how much more can it cost, depending only on how the bytes around it are used?",
     "1 バイトを読む。同じ 1 バイトが、隣に何があるかだけで、どれほど高くつくのか。"},
    {"The same block is read in order, with strides, and at random. From a stride of one cache line upwards "
     "every word costs a whole line. Two threads that share a line but no value slow each other down. A "
     "thousand small copies take far longer than one large copy: each pays the latency.",
     "同じブロックを順に、間隔をあけて、ランダムに読む。間隔がキャッシュライン以上になると、1 語ごとに 1 "
     "ライン分の時間がかかる。値は共有せずラインだけを共有する 2 "
     "つのスレッドは、互いに遅くし合う。千回の小さなコピーは、1 "
     "回の大きなコピーよりはるかに遅い。毎回レイテンシがかかるからである。"},
    {"Size of the block that is read, in MiB; if it fits the caches, the caches are measured",
     "読むブロックの大きさ（MiB）。キャッシュより大きくないと、キャッシュを測ることになる"},
    {"Words read at random", "ランダムに読む語数"},
    {"Increments of each of two threads", "2 つのスレッドそれぞれのインクリメント回数"},
    {"Bytes copied to the device, at once or in a thousand parts, in KiB",
     "デバイスへコピーするバイト数（KiB）。1 回で、または千回に分けて"},
    {"1: copies go through host memory that is not pinned",
     "1：コピーはピン留めされていないホストメモリを通る"},
    {"Number of measurements; the kinds take turns", "測定の回数。順番に行う"},
    {"Cost of a byte", "1 バイトのコスト"},
    {"first random read over burst read", "最初のランダム読み出しとバースト読み出しの比"},
    {"Reading a byte", "1 バイトの読み出し"},
    {"in order", "順に"},
    {"words at random places", "ランダムな語で"},
    {"Reading with a stride, per byte used", "間隔をあけて読むとき、使う 1 バイトあたり"},
    {"every word, 4 B", "すべての語、4 B"},
    {"every 16 B", "16 B ごと"},
    {"every 64 B", "64 B ごと"},
    {"every 256 B", "256 B ごと"},
    {"every 1024 B", "1024 B ごと"},
    {"An increment by each of two threads", "2 スレッドがそれぞれ 1 回インクリメント"},
    {"on one cache line", "同じキャッシュライン"},
    {"on two cache lines", "別々のライン"},
    {"the first over the second", "前者と後者の比"},
    {"A byte copied to the device", "デバイスへのコピー、1 バイトあたり"},
    {"in one copy", "1 回で"},
    {"in a thousand", "千回で"},
    {"A copy, fitted over sizes", "コピー、大きさから当てはめ"},
    {"fitted", "当てはめ"},
    {"model", "モデル"},
    {"latency", "レイテンシ"},
    {"bandwidth", "帯域幅"},
    // Workload hybridize.
    {"Compiled graphs", "コンパイルされたグラフ"},
    {"A thousand passes of five operators: what does it save to enqueue each pass as one op?",
     "1 回の順伝播に演算子が 5 つ、それを千回。順伝播を 1 "
     "つの演算としてエンキューすると、何が節約できるのか。"},
    {"Op by op, the frontend pays its cost five times per pass, and the worker waits for the frontend. "
     "Compiled, a pass is one slice and one allocation, with the same values. With frontend_us=0 the gain is "
     "the engine's own cost per op.",
     "演算ごとの場合、フロントエンドは順伝播 1 回につき 5 "
     "回分のコストを払い、ワーカーはそれを待つ。コンパイルすると、順伝播は 1 つのスライスと 1 "
     "回のメモリ確保になる。値は同じである。frontend_us=0 "
     "なら、利得はエンジン自身が演算ごとに要する分である。"},
    {"Units of the last layer", "最後の層のユニット数"},
    {"Forward passes of a step", "1 ステップの順伝播の回数"},
    {"Steps of each half; an endless run alternates between op by op and compiled",
     "前半と後半それぞれのステップ数。停止するまで続ける場合は、演算ごととコンパイルを交互に行う"},
    {"1000 passes", "1000 回の順伝播"},
    {"compiled", "コンパイル"},
    {"op by op", "演算ごと"},
    {"1000 passes, another article", "1000 回の順伝播、別の資料"},
    {"All passes", "全順伝播"},
    {"until all are done", "すべて終わるまで"},
    {"until all are enqueued", "すべてエンキューするまで"},
    {"Gain", "利得"},
    {"time op by op / time compiled", "演算ごととコンパイルの比"},
    {"One pass", "1 回の順伝播"},
    {"ops", "演算数"},
    {"buffers for the results", "結果のバッファ"},
    {"bytes in these buffers", "そのバイト数"},
    {"both outputs have the same bits", "両者の結果はビット単位で一致"},
    {"the saved and loaded graph too", "保存して読み込んだグラフも一致"},
    {"size of the saved file", "ファイルの大きさ"},
    // Workload data_parallel.
    {"Data parallel training", "データ並列の学習"},
    {"Twice the devices, half the rows each: what limits the speedup?",
     "デバイスは 2 倍、行は半分ずつ。利得を食いつぶすのは何か。"},
    {"The gradients are on the copy tracks. With early=1 they travel during the backward pass. With early=0 "
     "they travel after it and delay the next step. If the first device sums (ring=0), its link carries all "
     "data. In a ring all links carry the same amount.",
     "勾配はコピーのトラックにある。early=1 では、逆伝播の間に送られる。early=0 "
     "では、逆伝播の後に送られ、次のステップを遅らせる。最初のデバイスが合計すると（ring="
     "0）、そのリンクがすべてのデータを運ぶ。リングでは、どのリンクも同じ量を運ぶ。"},
    {"Rows of a batch, over all devices; at least one per device",
     "全デバイスを合わせたバッチの行数。デバイスごとに少なくとも 1 行"},
    {"0: the first device sums the gradients; 1: a ring does",
     "0：1 番目のデバイスが合計する、1：リングで合計する"},
    {"1: a layer's gradients are summed as soon as they are computed", "1：層の勾配ができしだい合計する"},
    {"An epoch", "1 エポック"},
    {"one GPU", "GPU 1 台"},
    {"Needs a run on one device.", "1 つのデバイスでの実行による値。"},
    {"two GPUs", "GPU 2 台"},
    {"Needs a run on two devices.", "2 つのデバイスでの実行による値。"},
    {"A step", "1 ステップ"},
    {"passes and updates alone", "順・逆伝播と更新のみ"},
    {"summing gradients alone", "勾配の合計のみ"},
    {"training", "学習"},
    {"100 %: the summing is hidden behind the passes, or the passes behind the summing; 0 % or less: nothing "
     "is hidden",
     "100 %：合計が計算に隠れるか、計算が合計に隠れる。0 % 以下：何も隠れない"},
    {"Gradients", "勾配"},
    {"of one device, per step", "1 デバイス、1 ステップ"},
    {"ops that ended late in training", "学習中に遅れて終わった演算"},
    {"Ops of simulated devices whose values the host computed later than the model says",
     "シミュレートしたデバイスの演算。モデルの示す時刻までに、ホストの計算が終わらなかった"},
    {"memory first touched in training", "学習中に初めて触れたメモリ"},
    {"0: all memory was touched before, so no op is late because of new pages",
     "0：すべて事前に触れてあり、新しいページのために遅れる演算はない"},
    {"sent over all links, per step", "全リンクの送信量、1 ステップ"},
    {"loss of the first batch", "最初のバッチの損失"},
    {"all devices have the same parameters", "全デバイスのパラメータが一致"},
    // Exercise 1.
    {"When does the backend alone set the run time?", "バックエンドの時間だけで決まるのはいつか"},
    {"A common formula for n additions without a wait is t1 + n t2 + t3. It needs n t2 > (n-1) t1. Here an "
     "enqueue (t1) costs 20 us more: is the condition met?",
     "待たなければ、n 回の加算は t1 + n t2 + t3 かかると言われる。それには n t2 > (n-1) t1 "
     "が必要である。ここではエンキュー（t1）に 20 us 余計にかかる。条件は満たされるか。"},
    {"Run. Zoom in on the second half: the worker is idle between additions, because it is faster than the "
     "frontend.",
     "実行し、後半を拡大する。ワーカーはフロントエンドより速いので、加算と加算の間で空いている。"},
    {"Set frontend_us to 0 and run again.", "frontend_us を 0 にして、もう一度実行する。"},
    {"Under Results, formula and measurement of \"t1 + n t2 + t3, without\" and of \"n max(t1, t2), "
     "without\". Which formula predicts the measured time, before and after the change?",
     "「結果」にある「t1 + n t2 + t3、待たない」と「n max(t1, "
     "t2)、待たない」の式と実測。変更の前と後で、予測が当たるのはどちらか。"},
    // Exercise 2.
    {"Batch t ends before t + 2 starts: what does this overlap give?",
     "バッチ t はバッチ t + 2 の前：1 つの重なりで何が得られるか"},
    {"With window 2 the frontend may prepare the next batch while the device computes this one, but no batch "
     "after it.",
     "window 2 "
     "では、デバイスがこのバッチを計算する間に、フロントエンドは次のバッチまでを準備できる。それより先へは進"
     "まない。"},
    {"Run, then switch to none, window 2 and wait_to_read. Wait for the steady state each time.",
     "実行し、none、window 2、wait_to_read と切り替える。そのつど下の比較が落ち着くのを待つ。"},
    {"Steps per second and peak memory of the three barriers: window 2 should be nearly as fast as none, "
     "with nearly as little memory as wait_to_read.",
     "3 つの毎秒ステップ数とピークメモリ。window 2 は none とほぼ同じ速さで、メモリは wait_to_read "
     "とほぼ同じになるはずである。"},
    // Exercise 3.
    {"CPU and GPU at once: is a wait per batch still right?",
     "CPU と GPU を同時に：バッチごとに待つのは今も正しいか"},
    {"Each step has one product on the cpu and one on the GPU. It waits for the product on the GPU.",
     "各ステップには cpu の行列積と GPU の行列積が 1 つずつあり、GPU のほうを待つ。"},
    {"Run. Look for gaps on the GPU's compute track while the frontend wakes up. Then switch to none: both "
     "tracks are full.",
     "実行し、フロントエンドが起こされる間、GPU の計算トラックに空きができるのを見る。次に none "
     "に切り替えると、両方のトラックが埋まる。"},
    {"Try window 2. Then try waitall, which waits for both products.",
     "window 2 と、両方を待つ waitall も試す。"},
    {"Steps per second and blocked time under wait_to_read, waitall, window 2 and none. To measure the "
     "devices alone and together, untick Run until stopped.",
     "wait_to_read、waitall、window 2、none "
     "での毎秒ステップ数とブロック時間。単独と同時の時間を見るには、「停止するまで続ける」を外す。"},
    // Exercise 4.
    {"waitall or wait_to_read, when you need a result half-way?",
     "途中で結果が要るとき、waitall か wait_to_read か"},
    {"One product is needed. Four other products, which nobody needs yet, are enqueued behind it.",
     "行列積の結果が 1 つ必要である。その後ろには、まだ誰も必要としない行列積が 4 つエンキューされている。"},
    {"Run, and find the waits on the frontend's track. Click one: what did it wait for?",
     "実行し、フロントエンドのトラックで待ちを探す。1 つクリックする。何を待っていたか。"},
    {"Change unrelated to 1 and to 8.", "unrelated を 1 に、次に 8 にする。"},
    {"\"waitall\" with \"wait_to_read\", both with unrelated work: waitall grows with the enqueued work, "
     "wait_to_read does not.",
     "無関係な仕事がある場合の「waitall」と「wait_to_"
     "read」。前者はエンキューされた量とともに延び、後者は変わらない。"},
    // Exercise 5.
    {"Is asynchrony still visible on the CPU alone?", "CPU だけでも、非同期は見えるか"},
    {"The same ten products: called directly, enqueued, and enqueued with a wait.",
     "同じ 10 回の行列積：直接呼び出し、エンキュー、エンキューして待つ。"},
    {"Run, and follow the products from the frontend's track (direct) to the worker's. The enqueues are thin "
     "slices there too.",
     "実行し、行列積がフロントエンドのトラック（直接呼び出し）からワーカーのトラックへ移るのを追う。エンキュ"
     "ーはフロントエンドの細いスライスとしても見える。"},
    {"Choose virtual:0 as the device and run again.", "デバイスに virtual:0 を選び、もう一度実行する。"},
    {"\"enqueued, no wait\": its stopwatch with its true time. The frontend is free early. \"enqueued, then "
     "waitall\" with \"called directly\": the work takes equally long.",
     "「エンキュー、待たない」のストップウォッチと実際の時間：フロントエンドは早く空く。「エンキュー後に "
     "waitall」と「直接呼び出し」：仕事そのものの長さは同じである。"},
    // Exercise 6.
    {"Small independent ops: does a second worker help on one CPU?",
     "独立した小さな演算：1 つの CPU に 2 番目のワーカーは役立つか"},
    {"One worker on the cpu computes 800 products of 64 x 64 that share no result.",
     "互いに結果を共有しない 64 x 64 の行列積が 800 回、cpu にワーカーが 1 つ。"},
    {"Run. Set workers to 2 (on the command line --workers 2), run again, and look at the tracks cpu 0 and "
     "cpu 1.",
     "実行する。ワーカーを 2 にして（コマンドラインでは --workers 2）もう一度実行し、トラック cpu 0 と cpu 1 "
     "を見る。"},
    {"Set extent to 16, then to 256. Run each size with one worker and with two.",
     "extent を 16 に、次に 256 にする。それぞれワーカー 1 つと 2 つで実行する。"},
    {"\"one after the other\" with one worker and with two, for each size. The smaller an op, the larger the "
     "part of its time that scheduling takes. \"both at once\" gains nothing more: ops that run alone "
     "already use both "
     "workers.",
     "演算の大きさごとに、ワーカー 1 つと 2 "
     "つの実行の「順番に実行」を比べる。小さいほど、受け渡しのコストの割合が大きい。"
     "「両方同時」でもそれ以上速くはならない。単独でも、演算はすでに 2 つのワーカーに分かれている。"},
    // Exercise 7.
    {"CPU, GPUs and communication together: what hides behind what?",
     "CPU と GPU と通信を同時に：何が何の陰に隠れるか"},
    {"The CPU makes the batches, two GPUs compute, and their gradients travel in a ring.",
     "CPU がバッチを作り、2 台の GPU が計算し、その勾配がリングを回る。"},
    {"Run. In the last part, look for copies during the backward pass. Then set early to 0: the copies come "
     "after the pass.",
     "実行し、最後の部分で逆伝播の間のコピーを見る。次に early を 0 にすると、コピーはその後になる。"},
    {"Try the barrier wait_to_read. Then set ring to 0.", "バリア wait_to_read と、ring 0 も試す。"},
    {"\"hidden share of the shorter\": the shorter of \"passes and updates alone\" and \"summing gradients "
     "alone\". 100 %: it runs entirely while the longer one runs. 0 %: no overlap.",
     "「短いほうの隠れた割合」：「順・逆伝播と更新のみ」と「勾配の合計のみ」の短いほうがもう一方に隠れれば "
     "100 %、何も隠れなければ 0。"},
    // Exercise 8.
    {"Why does memory fall when the waits come back?", "待ちを戻すと、なぜメモリは減るのか"},
    {"Run with barrier none until live memory has grown.", "none で、live のメモリが増えるまで実行する。"},
    {"Switch to wait_to_read: live falls to one batch. Reserved and the process's RSS do not fall: the pool "
     "retains the memory of the time without waits.",
     "wait_to_read に切り替えると、live は 1 バッチ分まで下がる。reserved とプロセスの RSS "
     "は下がらない。自由に走った間の分をプールが保持している。"},
    {"Restart with wait_to_read: now reserved is small from the start.",
     "wait_to_read で再実行する。今度は reserved が最初から小さい。"},
    {"live, reserved and process RSS in the two runs with a wait. If an earlier run left memory in the pool, "
     "the measured growth can even be negative.",
     "待ちのある 2 つの実行の live、reserved、process "
     "RSS。以前の実行が残したメモリを基準にすると、差は負にさえなりうる。"},
    // Lesson 1: warmup.
    {"Ten products: called directly, enqueued, enqueued with a wait",
     "10 回の行列積：直接呼び出し、エンキュー、エンキューして待つ"},
    {"Ten products are called directly, then ten are enqueued. When the ten enqueues have returned, what "
     "share of the direct calls' time have they taken?",
     "行列積を 10 回直接呼び出し、次に 10 回エンキューする。10 "
     "回のエンキューが戻った時点で過ぎているのは、直接呼び出しの時間の何 % か。"},
    {"Then a wait follows the ten enqueues. Compared with the enqueues alone, enqueues and wait together "
     "take",
     "次に、10 回のエンキューの後で待つ。全体の時間は、エンキューだけの場合と比べてどれだけ長いか。"},
    {"about as long", "ほぼ同じ"},
    {"a few times as long", "数倍"},
    {"5 times as long, or more", "5 倍以上"},
    {"The enqueues returned after {enqueued}. By then most of the work had not begun: the products were done "
     "{finished} after the start, on another track.",
     "エンキューは {enqueued} で戻った。その時点で仕事の大半は始まってもいない。行列積が終わったのは開始から "
     "{finished} 後で、別のトラックの上である。"},
    {"Called directly, the ten products took {direct}. Enqueued with a wait, they took {waited}. The wait "
     "makes no product slower. It only makes the stopwatch include the products.",
     "10 回の行列積は、直接呼び出すと {direct}、エンキューして待つと {waited} "
     "かかった。待っても行列積は遅くならない。ストップウォッチに行列積が見えるようになるだけである。"},
    {"Published: 0.0007 s without the wait, compared with 0.3747 s for direct calls. The 0.0007 s contain "
     "only the enqueueing.",
     "公表値：待たない場合は 0.0007 s、直接呼び出しは 0.3747 s。0.0007 s で済んだのはエンキューである。"},
    // Lesson 2: dependency_graph.
    {"x = ones, y = ones, z = x * y + 2, print z", "x = ones、y = ones、z = x * y + 2、print z"},
    {"x and y are 2000 x 2000 arrays of ones; z = x * y + 2. How many ops are enqueued?",
     "x と y は 1 を並べた 2000 x 2000 の配列で、z = x * y + 2 とする。エンキューされる演算はいくつか。"},
    {"What is each value that print shows?", "print が表示する値は、それぞれいくつか。"},
    {"{ops} ops: x, y, their product, and the sum. The program states no order. The engine derives the order "
     "from what each op reads and writes: the product reads x and y, the sum reads the product.",
     "演算は {ops} "
     "個：x、y、その積、そして和である。順序はどこにも書かれていない。エンジンは、各演算が何を読み何を書くか"
     "から順序を決めた。積は x と y を読み、和は積を読む。"},
    {"x and y share no data, so two workers make them at the same time. Key G draws the graph. Only print "
     "waits. It waits for z, and therefore for all ops before z. Every value is {z}.",
     "x と y は何も共有しないので、2 つのワーカーが同時に作る。グラフは G キーで描ける。待つのは print "
     "だけである。z "
     "を待つことで、すべてを待つことになる。値はどれも {z} である。"},
    // Lesson 3: queue_vs_finish.
    {"y = dot(x, x).sum(), then print y", "y = dot(x, x).sum()、次に print y"},
    {"One stopwatch stops when dot(x, x).sum() has returned, another when y has been printed. By what factor "
     "is the second time longer?",
     "1 つのストップウォッチは dot(x, x).sum() が戻ると止まり、もう 1 つは y "
     "が表示されると止まる。後者は前者の何倍を示すか。"},
    {"Queued after {queued}, finished after {finished}: {ratio}. Both stopwatches are right, but they "
     "measure different things. The first measures the frontend, and the frontend only enqueues the work.",
     "エンキューまで {queued}、完了まで "
     "{finished}：{ratio}"
     "。どちらのストップウォッチも正しく、測るものが違う。前者が測るのはフロントエンドの仕事であり、フロント"
     "エンドは計算を書き留めるだけである。"},
    {"Published, for 4000 x 4000: queued in 0.0010 s, finished in 2.1746 s. The larger the product, the "
     "larger the ratio, because an enqueue costs the same for every size.",
     "公表値：4000 x 4000 で、エンキューまで 0.0010 s、完了まで 2.1746 "
     "s。書き留めるコストは変わらないので、行列が大きいほど比も大きい。"},
    // Lesson 4: barriers.
    {"Each way to wait for a product, alone and with four other products queued",
     "行列積を待つそれぞれの方法。単独の場合と、ほかに 4 つの行列積がある場合"},
    {"One product is needed. Four other products, which nobody needs yet, are enqueued with it. By what "
     "factor does waitall wait longer than wait_to_read?",
     "行列積の結果が 1 つ必要である。まだ誰も必要としない行列積が 4 つ、一緒にエンキューされている。waitall "
     "が待つ時間は wait_to_read の何倍か。"},
    {"Nothing else is enqueued. item sums the product and reads the sum. Compared with wait_to_read of the "
     "product, item takes",
     "ほかに何もエンキューされていないとき、item は和の数値を 1 つ読む。行列積の wait_to_read "
     "と比べて、かかる時間は"},
    {"less than half as long", "半分未満"},
    {"more than twice as long", "2 倍を超える"},
    {"With four other products enqueued, wait_to_read took {one} and waitall {all}: waitall waits for "
     "everything, even for products that nobody needs yet.",
     "ほかに 4 つエンキューされていると、wait_to_read は {one}、waitall は {all} かかった。waitall "
     "は、まだ誰も必要としないものも含めてすべてを待つ。"},
    {"Alone, wait_to_read took {read}, asnumpy {asnumpy}, item {item}. Most of each time is the product "
     "itself, which all three wait for. Click a wait to see what it waited for, and what its own copy cost.",
     "単独では、wait_to_read が {read}、asnumpy が {asnumpy}、item が {item} "
     "かかった。どれも大半は行列積そのものの時間で、それを待つのはすべて同じである。待ちをクリックすると、何"
     "を待ったか、自身のコピーにどれだけかかったかが分かる。"},
    {"Published, for 1000 x 1000: waitall 0.0138, wait_to_read 0.0045, asnumpy 0.0117, item 0.0212 s. The "
     "first line that blocks is blamed for all work before it.",
     "公表値：1000 x 1000 で、waitall 0.0138、wait_to_read 0.0045、asnumpy 0.0117、item 0.0212 "
     "s。それまでの仕事の時間は、最初にブロックする行のせいにされる。"},
    // Lesson 5: increment.
    {"Ten thousand additions with a wait after each, then without waits",
     "1 万回の加算。毎回待つ場合と、待たない場合"},
    {"1 is added to an array of two numbers, ten thousand times. By what factor does a wait after each "
     "addition lengthen this?",
     "2 つの数からなる配列に 1 を加えることを 1 万回。毎回待つと、かかる時間は何倍になるか。"},
    {"Without waits, what decides how long the additions take?",
     "待たない場合、かかる時間を決めるのはどちらか。"},
    {"the frontend: enqueueing takes longer", "フロントエンド：エンキューのほうが長い"},
    {"the backend: executing takes longer", "バックエンド：実行のほうが長い"},
    {"With a wait after each, the time of an addition is the sum of three times: t1 = {t1} to enqueue it, t2 "
     "= {t2} to execute it, t3 = {t3} to report back to the waiting frontend. Measured: {sync}.",
     "毎回待つと、1 回の加算は 3 つの時間を順に経る。エンキューに t1 = {t1}、実行に t2 = "
     "{t2}、待っているフロントエンドへの通知に t3 = {t3}。実測は {sync}。"},
    {"Without waits frontend and backend work at the same time, and the slower of the two decides: max(t1, "
     "t2) = {slower}. Measured: {async}. The formula t1 + n t2 + t3 holds only if executing is slower than "
     "enqueueing.",
     "待たなければフロントエンドとバックエンドは並んで働き、遅いほうが全体を決める：max(t1, t2) = "
     "{slower}。実測は {async}。式 t1 + n t2 + t3 が成り立つのは、実行のほうが遅いときだけである。"},
    {"Published: 1.0607 s with waits and 0.8800 s without. On machines with a slow frontend the run without "
     "waits was even slower than the run with waits.",
     "公表値：待つ場合は 1.0607 s、待たない場合は 0.8800 "
     "s。フロントエンドの遅いマシンでは、待たないほうがかえって遅いことさえあった。"},
    // Lesson 6: training_memory.
    {"Training, no wait in a batch", "学習、バッチの中で待たない"},
    {"A wait for each batch", "バッチごとに待つ"},
    {"Training runs without a wait. Then a wait for each batch is switched on. By what factor does peak "
     "memory fall?",
     "学習を待たずに実行し、途中でバッチごとの待ちに切り替える。切り替え前のピークメモリは、切り替え後の何倍"
     "か。"},
    {"How do the steps per second change?", "では、毎秒ステップ数は？"},
    {"rise", "増える"},
    {"stay the same, within 5 %", "変わらない（5 % 以内）"},
    {"fall, but not below half", "減るが、半分以上"},
    {"fall below half", "半分未満に減る"},
    {"Without a wait the frontend ran up to {ahead} batches ahead. The memory of an op is allocated at its "
     "enqueue, so all of these batches held memory: {free_peak} at the peak, compared with {held_peak} with "
     "the wait.",
     "待たない場合、フロントエンドは最大 {ahead} "
     "バッチ先行した。演算のメモリはエンキュー時に確保されるので、これらのバッチはすべて自分のメモリを保持し"
     "ていた。ピークは {free_peak}、待つ場合は {held_peak} である。"},
    {"With the wait the frontend was blocked for {blocked} of its time, and the next batch was not prepared "
     "while the device computed: {held_rate} steps per second instead of {free_rate}.",
     "待つ場合、フロントエンドは時間の {blocked} "
     "の間ブロックされ、デバイスの計算中に次のバッチを準備できなかった。毎秒ステップ数は {free_rate} から "
     "{held_rate} になった。"},
    {"Published, 50 batches: 3.95 s and +41.8 MB with a wait each. Without a wait the loop returned after "
     "0.10 s. The 323 MB printed there are the memory in use, not its growth. The work did not become "
     "shorter: the wait only came later.",
     "公表値：50 バッチで、毎回待つと 3.95 s、+41.8 MB。待たなければループは 0.10 s "
     "で戻ったが、そこに表示された 323 MB "
     "は使用中のメモリであり、増加量ではない。仕事そのものが短くなったわけではなく、待つのが後になっただけで"
     "ある。"},
    // Lesson 7: inference_memory.
    {"Sixty batches, no wait", "60 バッチ、待たない"},
    {"The input of a batch takes 1.05 MB. Input and outputs together take 3.16 MB. Sixty batches are "
     "enqueued without a wait. By how much does live memory grow at most?",
     "入力は 1.05 MB、入力を含むバッチの全出力は 3.16 MB である。60 バッチを待たずにエンキューする。live "
     "のメモリは最大でどれだけ増えるか。"},
    {"With a wait for each batch, what share of that growth remains?",
     "バッチごとに待つと、その増加はどれだけ残るか。"},
    {"all of it", "すべて"},
    {"about half", "約半分"},
    {"about a tenth", "約 10 分の 1"},
    {"about one sixtieth", "約 60 分の 1"},
    {"Without a wait memory grew by {free_growth}. With a wait it grew by {held_growth}: one batch at a "
     "time.",
     "メモリの増加は、待たない場合 {free_growth}、待つ場合 {held_growth} である。待てば、一度に 1 "
     "バッチ分で済む。"},
    {"The inputs of all sixty batches take {inputs}, all outputs {outputs}. If memory is allocated at the "
     "enqueue, every unfinished op holds its output. If memory is allocated at the execution, only ops that "
     "have run hold an output. These are the inputs, because they wait for nothing.",
     "60 バッチの入力は全部で {inputs}、全出力は {outputs} "
     "である。メモリをエンキュー時に確保する場合は、終わっていないすべての演算が出力を保持する。実行時に確保"
     "する場合は、実行された演算だけが保持する。それは何も待たない入力である。"},
    {"Published: +245.84 MB without a wait. The 60 queued inputs are 245.76 MB (in that source 1 MB is 1000 "
     "KiB), so they explain the growth.",
     "公表値：待たない場合は +245.84 MB。待ち行列の 60 個の入力は 245.76 MB であり（その資料では 1 MB は "
     "1000 KiB）、増えたのはこれらである。"},
    // Lesson 8: auto_parallel.
    {"Fifty products per device: on the first, on the second, on both",
     "2 つのデバイスで 50 回ずつの行列積：一方、もう一方、両方"},
    {"Alone, each device takes equally long for its products. One frontend enqueues the products of both, "
     "one after the other. Both devices at once take x times as long as one device alone. What is x?",
     "2 つのデバイスは、単独なら同じ時間で行列積を終える。1 "
     "つのフロントエンドが両方の分を順にエンキューする。両方が終わるまでの時間は、一方だけの場合の何倍か。"},
    {"A stopwatch stops when all products are enqueued. What share of that time does it show?",
     "すべてエンキューした時点で止まるストップウォッチは、その時間の何割を示すか。"},
    {"a tenth, or less", "10 分の 1 以下"},
    {"One after the other the devices took {apart}, both at once {together}, the slower device alone "
     "{slower}. {hidden} of the shorter run was hidden behind the longer one. No line of the program asks "
     "for this: the products of the two devices share no result, so neither device waits for the other.",
     "順番に実行すると {apart}、両方同時なら {together}、遅いほう単独では {slower} かかった。短いほうの "
     "{hidden} がもう一方に隠れた。そう書いた行はプログラムのどこにもない。2 "
     "つのデバイスの行列積は結果を共有しないので、同時に実行することを妨げるものがないのである。"},
    {"The stopwatch that stopped at the enqueue showed {enqueued}. A stopwatch that waits only for the first "
     "device, as synchronize() does, would miss the second device.",
     "エンキューで止まるストップウォッチは {enqueued} を示した。synchronize() のように 1 "
     "番目のデバイスだけを待つものは、2 番目の時間を見落とす。"},
    {"Published: 0.1195 and 0.1189 s alone, 0.1216 s together.",
     "公表値：単独で 0.1195 s と 0.1189 s、同時で 0.1216 s。"},
    // Lesson 9: overlap.
    {"Fifty results: computed, then copied; then each copied while the next is computed",
     "50 個の結果を計算してからコピーする。次に、コピーの間に次の結果を計算する"},
    {"Fifty results are computed on the device. Each is copied to the host while the next is computed. What "
     "share of the shorter part, computing or copying, is hidden behind the longer part?",
     "デバイスで 50 "
     "個の結果を計算し、次の結果を計算する間に、それぞれをホストへコピーする。計算とコピーのうち短いほうは、"
     "何 % がもう一方に隠れるか。"},
    {"Compared with computing first and copying afterwards, this takes",
     "計算を終えてからコピーする場合と比べて、かかる時間は"},
    {"longer", "長い"},
    {"clearly less time", "明らかに短い"},
    {"Computing took {compute}, copying {copy}. One after the other they took {apart}, together {together}: "
     "{hidden} of the shorter part was hidden.",
     "計算は {compute}、コピーは {copy}、順番に実行すると {apart}、同時なら {together} かかった。短いほうの "
     "{hidden} が隠れた。"},
    {"Such a pipeline can hide at most {bound}: the first product and the last copy overlap with nothing. "
     "Memory that is not pinned (pageable = 1) makes each copy slower.",
     "このようなパイプラインの上限は {bound} "
     "である。最初の行列積と最後のコピーには相手がいない。ピン留めされていないメモリ（pageable = "
     "1）では、どのコピーも遅くなる。"},
    {"Published: an older article has 0.50 + 2.72 s separately and 2.47 s together. The newest has 0.1232 + "
     "2.1620 s separately and 3.1346 s together: overlap does not always help.",
     "公表値：以前の資料では別々で 0.50 + 2.72 s、同時で 2.47 s。しかし最新の資料では別々で 0.1232 + 2.1620 "
     "s、同時で 3.1346 s である。いつも重なるとは限らない。"},
    // Lesson 10: hybridize.
    {"A thousand forward passes, op by op and compiled", "1000 回の順伝播。演算ごとと、コンパイル"},
    {"A pass is five small ops. Compiled, a pass is one op. By what factor is a pass faster?",
     "順伝播は 5 つの小さな演算からなり、コンパイルすると 1 つの仕事になる。何倍速くなるか。"},
    {"Op by op, a pass has four intermediate results. How many buffers does the compiled graph need for "
     "them?",
     "演算ごとに実行すると、順伝播には中間結果が 4 "
     "つある。コンパイルされたグラフは、そのためにバッファをいくつ必要とするか。"},
    {"Op by op took {imperative}, compiled {compiled}: {ratio}. The frontend was the slow part: enqueueing "
     "took {imperative_enqueue} with {ops} ops per pass, and {compiled_enqueue} with one op per pass.",
     "演算ごとでは {imperative}、コンパイルでは "
     "{compiled}：{ratio}。遅かったのはフロントエンドである。エンキューの時間は、順伝播あたり演算 {ops} "
     "個の場合が {imperative_enqueue}、仕事 1 つの場合が {compiled_enqueue} である。"},
    {"The compiled graph knows when a result is read for the last time, so {after} buffers are enough for "
     "{before} results.",
     "コンパイルされたグラフは、結果が最後に読まれるのがいつかを知っている。そのため {before} 個の結果を "
     "{after} 個のバッファで賄える。"},
    {"Published: 0.8890 s op by op and 0.4335 s compiled; another article: 0.6364 s and 0.1622 s.",
     "公表値：演算ごとで 0.8890 s、コンパイルで 0.4335 s。別の資料では 0.6364 s と 0.1622 s。"},
    // Lesson 11: data_parallel.
    {"Training on two devices, gradients summed as soon as a layer has them",
     "2 つのデバイスでの学習。層の勾配ができしだい合計する"},
    {"The gradients of a layer travel while earlier layers are still computed. What share of the shorter "
     "part, computing or summing, is hidden?",
     "ある層の勾配は、それより前の層を計算している間に転送される。計算と合計のうち短いほうは、何割が隠れるか"
     "。"},
    {"a quarter, or less", "4 分の 1 以下"},
    {"nearly all", "ほぼすべて"},
    {"Passes and updates alone take {compute} per step, and summing gradients alone {communication}. A "
     "training step takes {step}. Hidden: {hidden}. A value below 0 means that nothing was hidden and "
     "something else delayed the step.",
     "1 ステップの時間は、順・逆伝播と更新のみで {compute}、勾配の合計のみで {communication}、学習全体で "
     "{step} である。隠れた割合は {hidden}。0 を下回れば何も隠れず、ほかの何かがステップを遅らせている。"},
    {"A step sends {sent}. With early = 0 the gradients travel after the backward pass, so nothing can hide "
     "them. With ring = 1 every link carries a part of them.",
     "1 ステップの送信量は {sent} である。early = 0 では勾配が逆伝播の後に転送され、隠れようがない。ring = 1 "
     "では、どのリンクも一部ずつを運ぶ。"},
    {"{late} ops of simulated devices ended later than their model says. If there are many late ops, the "
     "host had too few cores to simulate two devices. The step time is then the host's, not that of the "
     "devices.",
     "模擬デバイスの演算 {late} 個が、モデルの時刻より遅れて終わった。この数が多ければ、ホストのコアが 2 "
     "つのデバイスを模擬するには足りず、ステップの時間はデバイスではなくホストの時間である。"},
    {"Published: an epoch in 92 to 104 s on two GPUs, in 90 to 113 s on one. A small network gains nothing.",
     "公表値：1 エポックは GPU 2 台で 92～104 s、1 台で 90～113 s。小さなネットワークでは何も得られない。"},
    // Lesson 12: memory_hierarchy.
    {"A block read in order, with strides and at random; large and small copies",
     "ブロックを順に、間隔をあけて、ランダムに読む。大小のコピー"},
    {"Words are read in order, then at random places of the same block. By what factor does a byte cost more "
     "at random?",
     "同じブロックの語を順に読み、次にランダムな場所の語を読む。ランダムに読むと、1 "
     "バイトのコストは何倍になるか。"},
    {"The same bytes go to the device in one copy, then in a thousand copies. Compared with the one copy, "
     "the thousand take",
     "同じバイト数を、1 回のコピーと千回のコピーでデバイスへ送る。千回の場合にかかる時間は"},
    {"several times as long", "数倍"},
    {"20 times as long, or more", "20 倍以上"},
    {"In order a byte cost {in_order}, at random {random}: {ratio}. Memory is read in lines, and the next "
     "lines are prefetched. A word at a random place uses only 4 bytes of its line, and this line was not "
     "prefetched.",
     "1 バイトのコストは、順に読むと {in_order}、ランダムに読むと "
     "{random}：{ratio}"
     "。メモリはライン単位で届き、続く部分は先読みされる。ランダムな場所の語は、ラインのうち 4 "
     "バイトしか使われず、先読みも効かない。"},
    {"Two threads add to two numbers. With both numbers on one line an addition took {one_line}, on two "
     "lines {two_lines}: the shared line moves back and forth between the cores.",
     "2 つのスレッドが 2 つの数にそれぞれ加算する。1 回の加算は、同じラインなら {one_line}、別々のラインなら "
     "{two_lines} かかった。同じラインは 2 つのコアの間を行き来する。"},
    {"A copy to the device first takes the latency, {latency}, and then runs at {bandwidth}. Most of the "
     "time of a small copy is the latency.",
     "デバイスへのコピーには、まず {latency} かかり、その後は {bandwidth} "
     "で進む。小さなコピーの時間は、ほとんどが前者である。"},
    {"Published: the first random read costs about 500 times as much as a burst read.",
     "公表値：最初のランダム読み出しは、バースト読み出しの約 500 倍かかる。"},
    // Barriers.
    {"The frontend never waits; only the safety limit holds it back.",
     "フロントエンドは決して待たない。止めるのは安全上限だけである。"},
    {"Each step waits for its own result.", "各ステップは自分の結果を待つ。"},
    {"Each step waits for everything enqueued so far.",
     "各ステップは、それまでにエンキューされたすべてを待つ。"},
    {"Each step reads one number of its result, which waits for it.",
     "各ステップは結果の数値を 1 つ読み、それを待つ。"},
    {"Each step copies its result to the host, which waits for it.",
     "各ステップは結果をホストへコピーし、それを待つ。"},
    {"Each step prints its result, which waits for it.", "各ステップは結果を表示し、それを待つ。"},
    {"Step t finishes before step t + 2 starts.", "ステップ t が終わってから、ステップ t + 2 が始まる。"},
    {"The frontend is held back while more than 100 ops are in flight.",
     "未完了の演算が 100 個を超える間、フロントエンドは止められる。"},
    {"The frontend is held back while more than 256 MB of results are in flight.",
     "未完了の結果が 256 MB を超える間、フロントエンドは止められる。"},
    // What is missing in a trace, and why.
    {"A thread recorded faster than the collector could drain it, so these events are missing. Record fewer "
     "zones, or give each thread a larger buffer.",
     "収集が追いつかない速さでスレッドが記録したため、これらのイベントは欠けています。記録するゾーンを減らす"
     "か、スレッドごとのバッファを大きくしてください。"},
    {"The window read batches too late, so these rows are missing from the live view. A recording written "
     "meanwhile has them.",
     "ウィンドウの取り込みが間に合わず、これらの行はライブ表示から欠けています。同時に書き込んでいる記録には"
     "含まれます。"},
    {"These rows arrived too late for their place in time and lie on an extra lane. Nothing is missing.",
     "これらの行は時間上の位置を過ぎてから届き、別のレーンに置かれています。欠けているものはありません。"},
    {"These slices ended, but their begin was not seen, mostly because the capture began inside them. Start "
     "recording before the work.",
     "これらのスライスは開始が見えないまま終わりました。多くは、その途中で記録が始まったためです。処理の前に"
     "記録を始めてください。"},
    {"These slices did not end within the capture and are drawn to its end. To see their true length, stop "
     "the work before the recording.",
     "これらのスライスは記録の間に終わらず、末尾まで描かれています。本当の長さを見るには、記録より先に処理を"
     "止めてください。"},
    {"These slices ended before they began and are shown with length zero. Clocks of this machine or of the "
     "trace disagree: do not trust times near them.",
     "これらのスライスは開始より前に終わっており、長さ 0 "
     "で表示されています。マシンまたはトレースの時計が一致していないため、付近の時刻は注意して読んでください"
     "。"},
    {"These rows were evicted because they were older than the limit allows. Raise the live view's memory "
     "limit or the recording's --keep-last, or record to a file without a limit.",
     "これらの行は保持する範囲より古いものです。ライブ表示のメモリ上限（または記録の "
     "--keep-last）を上げるか、制限なしでファイルに記録すると、すべて残ります。"},
    {"These blocks could not be written to the recording, mostly because the disk is full. Free disk space "
     "and record again.",
     "これらのブロックは記録に書き込めませんでした。多くはディスクがいっぱいのためです。空きを作って記録し直"
     "してください。"},
    {"The recording's writer was cut off, so these bytes after the last whole block cannot be read. "
     "Everything before them is shown.",
     "記録の最後の完全なブロックより後のこれらのバイトは、書き込みが途切れたため読めませんでした。それより前"
     "はすべて表示されています。"},
    {"This version does not know the kind of these blocks of the recording and skipped them. Open it with a "
     "newer Runahead.",
     "記録のこれらのブロックは、このバージョンの知らない種類のため飛ばしました。新しい Runahead "
     "で開いてください。"},
    {"These arrows are not drawn, because the slice at one end was not recorded.",
     "これらの矢印は、反対側のスライスが記録されておらず片端しかないため、描かれません。"},
    {"These events of the imported file cannot be shown in this timeline and were skipped. The tool that "
     "wrote the file still shows them.",
     "読み込んだファイルのこれらのイベントは、ここのタイムラインに置き場がないため飛ばしました。ファイルを書"
     "いたツールでは今も表示できます。"},
    {"These events of the imported file are missing: they cannot be read, or lack a time or an id. Check the "
     "program that wrote the file.",
     "読み込んだファイルのこれらのイベントは、読めないか、必要な時刻や識別子がないため欠けています。ファイル"
     "を書いたプログラムを確認してください。"},
    {"These bytes of the imported file belong to events without an end, mostly because the writer was cut "
     "off. Everything around them is shown.",
     "読み込んだファイルのこれらのバイトは終わりのないイベントのものです。多くは書き込みが途切れたためです。"
     "その前後はすべて表示されています。"},
    {"The imported file uses these names, clocks or states but does not define them, mostly because its "
     "start was overwritten. Events have no name, or are missing if their time is unknown.",
     "これらの名前、時計、状態は、読み込んだファイルで使われていますが定義されていません。多くは先頭が上書き"
     "されたためです。イベントは名前がないか、時刻が不明なものは欠けています。"},
    {"These blocks of the recording, of 1024 rows each, are damaged or were lost after it was opened. Each "
     "is drawn as a gap. Copy the file again from its source.",
     "記録のこれらの部分（各 1024 "
     "行）は、壊れているか、開いた後に失われたため、両端の間の空白として描かれます。元の場所からファイルをコ"
     "ピーし直してください。"},
    {"These kernels and copies ran, but the device had no room for their times, so they are missing. Launch "
     "less at once, or synchronise more often while recording.",
     "これらのカーネルとコピーは実行されましたが、時刻を保存する場所がデバイスに残っておらず、欠けています。"
     "一度に起動する数を減らすか、記録中にもっと頻繁に同期してください。"},
    {"The profiler's buffers had no room for these records of GPU activity, so the GPU's rows have gaps. "
     "Record a shorter time or fewer calls, or raise the buffer limit.",
     "GPU "
     "の活動のこれらの記録は、プロファイラのバッファに入りきらず欠けているため、行に空白があります。記録を短"
     "くするか呼び出しを減らす、またはバッファの上限を上げてください。"},
    {"This export contains its recording, but the events were changed since, or that recording is damaged. "
     "Only the events are shown. Open the recording itself to see everything.",
     "このエクスポートは元の記録を含んでいますが、その後イベントが変更されたか、含まれる記録が壊れています。"
     "イ"
     "ベントだけが表示され、記録にしかないものはありません。記録そのものを開いてください。"},
    {"These bytes of the recording are damaged and were skipped. Rows, names and tracks that only they "
     "contained are missing. Copy the file again from its source.",
     "記録のこれらのバイトは壊れていて読み飛ばされたため、そこにしかなかった行、名前、トラックは欠けています"
     "。元"
     "の場所からファイルをコピーし直してください。"},
    {"These other traces in the zip were not opened. The metadata import.file names the one that is shown. "
     "Unpack the zip to open the others.",
     "zip の中のほかのこれらのトレースは開いていません。表示しているものの名前はメタデータの import.file "
     "にあります。ほかを開くには zip を展開してください。"},
    // What a run says of itself, and what the comparison with published figures does.
    {"The backend is the bottleneck: n t2 > (n-1) t1, so without waits n increments take t1 + n t2 + t3.",
     "バックエンドがボトルネック：n t2 > (n-1) t1 なので、待たなければ t1 + n t2 + t3 かかる。"},
    {"The frontend is the bottleneck: n t2 > (n-1) t1 is false, so without waits n increments take n max(t1, "
     "t2), not t1 + n t2 + t3.",
     "フロントエンドがボトルネック：n t2 > (n-1) t1 が成り立たないので、待たなければ t1 + n t2 + t3 ではなく "
     "n max(t1, t2) かかる。"},
    {"Late ops of simulated devices may have delayed training by more than a tenth of the time that could be "
     "hidden: \"hidden share of the shorter\" is unreliable.",
     "シミュレートしたデバイスの演算が遅れて終わり、隠せる時間の 10 分の 1 "
     "を超えて学習を遅らせたおそれがある。「短いほうの隠れた割合」は当てにならない。"},
    {"Needs a run that has ended, with a fixed number of steps.",
     "このステップ数の実行が終わると測定される。"},
    {"The run with this figure was on another device.", "これを測った実行は別のデバイスのものである。"},
    {"cancelled", "キャンセルしました"},
    {"yes", "はい"},
    {"no", "いいえ"},
    // Groups of tracks.
    {"Frontend", "フロントエンド"},
    {"Queue", "キュー"},
    {"Workers", "ワーカー"},
    {"Throughput", "スループット"},
    {"Memory", "メモリ"},
    {"Threads", "スレッド"},
    {"{0} (simulated)", "{0} (模擬)"},
    {"preparation", "準備"},
    {"steps", "ステップ"},
    {"results", "結果の読み出し"},
    {"first device alone", "1 台目のみ"},
    {"second device alone", "2 台目のみ"},
    {"both devices", "両方のデバイス"},
    {"op by op and compiled in turn", "演算ごととコンパイルを交互に"},
    {"execution alone", "実行のみ"},
    {"start: {0}", "開始: {0}"},
    // Categories of memory.
    {"activations", "活性値"},
    {"gradients", "勾配"},
    {"parameters", "パラメータ"},
    {"other", "その他"},
    // Devices.
    {"virtual GPU: {0} launch, {1}, {2} memory, {3} pinned, {4} pageable, {5}",
     "仮想 GPU：起動 {0}、演算性能 {1}、メモリ {2}、ピン留めのコピー {3}、ページング可能なコピー {4}、{5}"},
    {"the host's {0} hardware threads, {1} of memory", "ホストのハードウェアスレッド {0} 個、メモリ {1}"},
    // Causes: findings, what helps, what a trace lacks, why a device was idle.
    {"{0} waits for the device in {1} of {2} steps, {3} in all. After it the device was idle for {4}.",
     "{0} は {2} ステップ中 {1} ステップでデバイスを待ち、合計 {3} でした。その後デバイスは {4} "
     "空いていました。"},
    {"Read the value later, or not in every step. If it is a copy, use pinned memory and non_blocking=True.",
     "値を後で読むか、毎ステップは読まないようにします。コピーなら、ピン留めメモリと non_blocking=True "
     "を使います。"},
    {"{0} was idle for {1} ({2} of the time), because the host had not launched the next kernel.",
     "ホストが次のカーネルをまだ起動していなかったため、{0} は {1}（時間の {2}）空いていました。"},
    {"Launch fewer and larger kernels: a larger batch, torch.compile, CUDA graphs, fused optimizers.",
     "カーネルを減らして大きくします：大きなバッチ、torch.compile、CUDA グラフ、融合オプティマイザ。"},
    {"{0} was idle for {1} ({2} of the time), because the host loaded data.",
     "ホストがデータを読み込んでいたため、{0} は {1}（時間の {2}）空いていました。"},
    {"Use more workers in the DataLoader, prefetch, and pin memory.",
     "DataLoader のワーカーを増やし、先読みし、ピン留めメモリを使います。"},
    {"{0} was idle for {1} ({2} of the time), because the host allocated or freed memory.",
     "ホストがメモリを確保または解放していたため、{0} は {1}（時間の {2}）空いていました。"},
    {"Allocate once, before the steps, and reuse the memory.",
     "ステップの前に一度だけ確保し、メモリを再利用します。"},
    {"Memory was allocated or freed {0} times in the second half of the steps, which took {1}.",
     "後半のステップでメモリが {0} 回確保または解放され、{1} かかりました。"},
    {"Memory was allocated or freed {0} time in the second half of the steps, which took {1}.",
     "後半のステップでメモリが {0} 回確保または解放され、{1} かかりました。"},
    {"Reuse buffers. PyTorch: avoid empty_cache(), and set expandable_segments if sizes vary.",
     "バッファを再利用します。PyTorch：empty_cache() を避け、サイズが変わるなら expandable_segments "
     "を設定します。"},
    {"{0} of {1} copied from or to the host {2} times and ran no kernel meanwhile: {3} ({4} of the time).",
     "{1} の {0} はホストとの間で {2} 回コピーし、その間カーネルを実行しませんでした：{3}（時間の {4}）。"},
    {"{0} of {1} copied from or to the host {2} time and ran no kernel meanwhile: {3} ({4} of the time).",
     "{1} の {0} はホストとの間で {2} 回コピーし、その間カーネルを実行しませんでした：{3}（時間の {4}）。"},
    {"Copy on a stream of its own, from pinned memory, while the kernels of the step before run.",
     "前のステップのカーネルの実行中に、専用のストリームで、ピン留めメモリからコピーします。"},
    {"The host was {0} in {1} launches, because the queue of launched work was full. The device had work "
     "meanwhile.",
     "起動済みの処理のキューが一杯だったため、ホストは {1} 回の起動に {0} "
     "かかりました。その間デバイスには処理がありました。"},
    {"The device limits this run. More run-ahead would bring nothing.",
     "この実行を制限しているのはデバイスです。先行量を増やしても効果はありません。"},
    {"An asynchronous copy used pageable memory {0} times; the copies took {1}.",
     "非同期コピーがページング可能メモリを {0} 回使い、コピーに {1} かかりました。"},
    {"An asynchronous copy used pageable memory {0} time; the copies took {1}.",
     "非同期コピーがページング可能メモリを {0} 回使い、コピーに {1} かかりました。"},
    {"Use pinned memory: such a copy is not asynchronous.",
     "ピン留めメモリを使います。このようなコピーは非同期ではありません。"},
    {"A synchronous copy was called {0} times; the copies took {1}.",
     "同期コピーが {0} 回呼ばれ、コピーに {1} かかりました。"},
    {"A synchronous copy was called {0} time; the copies took {1}.",
     "同期コピーが {0} 回呼ばれ、コピーに {1} かかりました。"},
    {"Use {0} with pinned memory.", "{0} とピン留めメモリを使います。"},
    {"Use the asynchronous copy with pinned memory.", "非同期コピーとピン留めメモリを使います。"},
    {"The host waited for a device in a synchronising call {0} times, which took {1}.",
     "ホストが同期の呼び出しでデバイスを {0} 回待ち、{1} かかりました。"},
    {"The host waited for a device in a synchronising call {0} time, which took {1}.",
     "ホストが同期の呼び出しでデバイスを {0} 回待ち、{1} かかりました。"},
    {"Wait for one event or stream instead of the whole device, and as late as possible.",
     "デバイス全体ではなく、一つのイベントかストリームを、できるだけ遅く待ちます。"},
    {"{0} was idle for 500 ms or longer {1} times, which took {2}.",
     "{0} は 500 ms 以上空いたことが {1} 回あり、合計 {2} でした。"},
    {"{0} was idle for 500 ms or longer {1} time, which took {2}.",
     "{0} は 500 ms 以上空いたことが {1} 回あり、合計 {2} でした。"},
    {"See the causes of the gaps.", "空きの原因を見てください。"},
    {"See the causes of idle time.", "空き時間の原因を見てください。"},
    {"The trace has no work of a device. PyTorch: record with ProfilerActivity.CUDA. Nsight Systems: "
     "--trace=cuda.",
     "トレースにデバイスの処理がありません。PyTorch：ProfilerActivity.CUDA で記録します。Nsight "
     "Systems：--trace=cuda。"},
    {"The trace does not have the launches of most kernels: they were launched before it began, or it was "
     "recorded without the calls of the runtime.",
     "トレースに大半のカーネルの起動がありません。開始前に起動されたか、ランタイムの呼び出しなしで記録されま"
     "した。"},
    {"The trace has no Python stacks. PyTorch: record with with_stack=True to see the lines that wait.",
     "トレースに Python のスタックがありません。PyTorch：with_stack=True "
     "で記録すると、待った行が分かります。"},
    {"The trace names no steps. PyTorch: call prof.step(). Others: an NVTX range \"step N\" for each step.",
     "トレースにステップの名前がありません。PyTorch：prof.step() を呼びます。その他：ステップごとに NVTX "
     "の範囲 \"step N\"。"},
    {"{0} was busy for less than half of the time in {1} parts of its run (of 30, those that follow each "
     "other joined). It was idle for {2} there.",
     "{0} は実行のうち {1} 区間で稼働が半分未満でした（30 等分し、続く区間は合わせます）。そこで {2} "
     "空いていました。"},
    {"{0} was busy for less than half of the time in {1} part of its run (of 30, those that follow each "
     "other joined). It was idle for {2} there.",
     "{0} は実行のうち {1} 区間で稼働が半分未満でした（30 等分し、続く区間は合わせます）。そこで {2} "
     "空いていました。"},
    {"A synchronous memset was called {0} times; on the device they took {1}.",
     "同期の memset が {0} 回呼ばれ、デバイス上で {1} かかりました。"},
    {"A synchronous memset was called {0} time; on the device they took {1}.",
     "同期の memset が {0} 回呼ばれ、デバイス上で {1} かかりました。"},
    {"Use cudaMemsetAsync.", "cudaMemsetAsync を使います。"},
    {"Use hipMemsetAsync.", "hipMemsetAsync を使います。"},
    {"Use the asynchronous memset.", "非同期の memset を使います。"},
    {"{0} of the launches of kernels returned only when the kernel had ended.",
     "カーネルの起動の {0} は、カーネルが終わるまで戻りませんでした。"},
    {"{0} of the launches of kernels returned only when the kernel had ended. The {1} long ones took {2}. "
     "After them the device was idle for {3}.",
     "カーネルの起動の {0} は、カーネルが終わるまで戻りませんでした。長い {1} 回は {2} "
     "かかり、その後デバイスは {3} 空いていました。"},
    {"The host does not run ahead. Look for CUDA_LAUNCH_BLOCKING=1 or its like in the environment.",
     "ホストが先行していません。環境に CUDA_LAUNCH_BLOCKING=1 などがないか確認します。"},
    {"{0} communicated for {1}. For {2} ({3} of the time) it did nothing else.",
     "{0} は {1} 通信しました。そのうち {2}（時間の {3}）は他に何もしませんでした。"},
    {"Begin each collective as soon as its data is there, on a stream of its own, beside kernels that do not "
     "need it. PyTorch: smaller buckets of DistributedDataParallel, prefetching of FSDP.",
     "データが揃い次第、専用のストリームで集団通信を始め、それを必要としないカーネルと並べます。PyTorch：Dist"
     "ributedDataParallel のバケットを小さくし、FSDP の先読みを使います。"},
    {"{0} of {1} launches found an empty queue: the host was not ahead of the device. {2} times a "
     "synchronisation had emptied it (most often {3}), and no value was read there. The device was idle for "
     "{4} afterwards.",
     "{1} 回の起動のうち {0} 回でキューが空でした：ホストがデバイスに先行していません。{2} "
     "回は同期がキューを空にし（最多は {3}）、値は読まれませんでした。その後デバイスは {4} 空いていました。"},
    {"Remove the synchronisation, or wait for the step before: the host then launches while the device runs.",
     "同期をなくすか、前のステップを待ちます。そうすればデバイスの実行中にホストが起動を続けられます。"},
    {"{0} was called {1} times. {2} times everything had ended, and {3} times it waited for less than 10 us "
     "of work. It took {4}, and the device was idle for {5} afterwards.",
     "{0} は {1} 回呼ばれました。{2} 回はすべて終わっており、{3} 回は 10 us 未満の処理を待ちました。{4} "
     "かかり、その後デバイスは {5} 空いていました。"},
    {"{0} was called {1} times. {2} time everything had ended, and {3} times it waited for less than 10 us "
     "of work. It took {4}, and the device was idle for {5} afterwards.",
     "{0} は {1} 回呼ばれました。{2} 回はすべて終わっており、{3} 回は 10 us 未満の処理を待ちました。{4} "
     "かかり、その後デバイスは {5} 空いていました。"},
    {"{0} was called {1} times. {2} times everything had ended, and {3} time it waited for less than 10 us "
     "of work. It took {4}, and the device was idle for {5} afterwards.",
     "{0} は {1} 回呼ばれました。{2} 回はすべて終わっており、{3} 回は 10 us 未満の処理を待ちました。{4} "
     "かかり、その後デバイスは {5} 空いていました。"},
    {"Remove the synchronisation: the device had nothing left to wait for.",
     "同期をなくします：待つべき処理はもう残っていませんでした。"},
    {"{0} ops on {1} waited for ops on which they do not depend. For {2} ({3} of the time) at least one op "
     "could have run and did not.",
     "{1} の {0} 個の演算が、依存していない演算を待ちました。{2}（時間の "
     "{3}）の間、少なくとも一つの演算が実行できたのに実行されませんでした。"},
    {"Use more workers, if the machine has cores for them.", "マシンにコアがあれば、ワーカーを増やします。"},
    {"Put independent ops on another stream or device, if a single op does not fill the device.",
     "一つの演算でデバイスが埋まらないなら、独立した演算を別のストリームかデバイスに置きます。"},
    {"{0} threads launched small kernels on {1}. {2} times such a kernel waited for one of another thread, "
     "{3} in all ({4} of the time). Most of the device was free.",
     "{0} スレッドが {1} で小さなカーネルを起動しました。{2} 回、別のスレッドのカーネルを待ち、合計 "
     "{3}（時間の {4}）でした。デバイスの大半は空いていました。"},
    {"If the threads do not need each other's results, give each its own stream.",
     "スレッドが互いの結果を必要としないなら、それぞれに専用のストリームを与えます。"},
    {"{0} came last in {1} of {2} collectives. {3} waited longest for it: {4}.",
     "{0} は {2} 個の集団通信のうち {1} 個で最後に到着しました。{3} が最も長く待ちました：{4}。"},
    {"The program had {0} ranks, and the traces of {1} were given. The rank that came last may be one of the "
     "others.",
     "プログラムには {0} 個のランクがあり、与えられたトレースは {1} "
     "個です。最後に到着したのは残りのランクかもしれません。"},
    {"The collectives of the ranks could not be assigned to each other again after they were joined.",
     "結合後、ランク間の集団通信を再び対応させることができませんでした。"},
    {"Compare its time before the collectives with that of another rank: more work (batches of different "
     "sizes), a slower device, or a slower host.",
     "集団通信の前の時間を別のランクと比べます：処理が多い（バッチの大きさが違う）、デバイスが遅い、またはホ"
     "ストが遅い。"},
    {"How the clock of {0} relates to the others is not known, so who came last is not either.",
     "{0} の時計と他との関係が分からないため、誰が最後だったかも分かりません。"},
    {"the host waited for a device", "ホストがデバイスを待っていた"},
    {"the host loaded data", "ホストがデータを読み込んでいた"},
    {"the host ran the host part of operators", "ホストが演算子のホスト側の処理をしていた"},
    {"the host ran Python", "ホストが Python を実行していた"},
    {"the host allocated or freed memory", "ホストがメモリを確保または解放していた"},
    {"the host did something that the trace does not name", "トレースに名前のない処理をホストがしていた"},
    {"the host was in the calls that launch work", "ホストが処理を起動する呼び出しの中にいた"},
    {"the work was launched and was about to begin", "処理は起動され、始まるところだった"},
    {"the work was launched; why it did not begin is not known",
     "処理は起動されたが、始まらなかった理由は不明"},
    {"the work waited for another stream", "処理が別のストリームを待っていた"},
    {"the work waited for a copy", "処理がコピーを待っていた"},
    {"gaps of less than 2 us between two pieces of work", "二つの処理の間の 2 us 未満の空き"},
    {"no more work was launched", "それ以上の処理は起動されなかった"},
    {"the trace does not have the launch of the next work", "トレースに次の処理の起動がない"},
});

}  // namespace

const LanguageTable& japanese_table() {
  static const LanguageTable kJapanese{kTexts, kSentences};
  return kJapanese;
}

}  // namespace runahead::gui
